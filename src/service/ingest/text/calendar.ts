import type { DocumentText } from '../document-text.ts'

/** True for events and tasks in the form in which programs send them (iCalendar). */
export function isCalendar(text: string): boolean {
  return /^\s*BEGIN:VCALENDAR\b/i.test(text)
}

/** Time zones and alarms, which have names and times of their own. */
const inner_part = /^(VTIMEZONE|STANDARD|DAYLIGHT|VALARM)\s*$/i
/** A property with its parameters, which can have quotes, and its value: RFC 5545, section 3.1. */
const property = /^([A-Z-]+)((?:;[A-Z-]+=(?:"[^"\n]*"|[^":;\n])*)*):(.*)$/gim
/** What people ask for. */
const asked =
  /^(SUMMARY|DTSTART|DTEND|DUE|LOCATION|ORGANIZER|ATTENDEE|DESCRIPTION|COMMENT|CATEGORIES)$/i

/** Adds what a calendar says of each event: its title, time, place, people and description. */
export function addCalendar(written: string, text: DocumentText): void {
  let is_inner = false
  for (const match of written.replace(/\r?\n[ \t]/g, '').matchAll(property)) {
    const [, key = '', parameters = '', value = ''] = match
    if (/^(BEGIN|END)$/i.test(key)) {
      is_inner = inner_part.test(value) && /^b/i.test(key)
      text.addLabel('\n')
    }
    if (is_inner || !asked.test(key) || value.trim() === '') continue
    const name = key.toLowerCase().replace(/^dt/, '')
    text.addLabel(`${name.charAt(0).toUpperCase()}${name.slice(1)}: `)
    text.add(`${valueText(value, parameters)}\n`)
  }
}

function valueText(value: string, parameters: string): string {
  const [, zone = ''] = /;TZID="?([^";]+)/i.exec(parameters) ?? []
  const [, person = ''] = /;CN="?([^";]+)/i.exec(parameters) ?? []
  const words = value
    .trim()
    .replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/, timeText)
    .replace(/^mailto:/i, '')
    .replace(/\\(.)/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign))
  return person === '' ? `${words} ${zone}`.trim() : `${person} <${words}>`
}

function timeText(_: string, ...[year, month, day, hour, minute, utc]: string[]): string {
  const date = `${year}-${month}-${day}`
  return hour === undefined ? date : `${date} ${hour}:${minute}${utc ? ' UTC' : ''}`
}
