import { expect, test } from 'vitest'
import { textDocument } from '../../../../src/service/ingest/text/text-document.ts'

const words = (lines: readonly string[], [start, end] = ['BEGIN:VEVENT', 'END:VEVENT']) => {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', start, ...lines, end, 'END:VCALENDAR'].join(
    '\r\n',
  )
  const limits = { text_length: 10_000 }
  return textDocument({ filename: 'a.ics', mime_type: '' }, { text }, limits).text.trim()
}

test.each([
  [
    'a time in a zone',
    ['DTSTART;TZID=Europe/Berlin:20260105T100000'],
    'Start: 2026-01-05 10:00 Europe/Berlin',
  ],
  ['a time of the world', ['DTEND:20260105T110000Z'], 'End: 2026-01-05 11:00 UTC'],
  ['a day', ['DTSTART;VALUE=DATE:20260105'], 'Start: 2026-01-05'],
  [
    'a person',
    ['ORGANIZER;CN="Holm, Yrsa":mailto:yrsa@harbour.example'],
    'Organizer: Holm, Yrsa <yrsa@harbour.example>',
  ],
  ['an address alone', ['ATTENDEE:MAILTO:bo@harbour.example'], 'Attendee: bo@harbour.example'],
  [
    'signs and lines',
    ['SUMMARY:Ropes\\, maps\\; all', 'DESCRIPTION;LANGUAGE=en:One\\nTwo\\\\'],
    'Summary: Ropes, maps; all\nDescription: One\nTwo\\',
  ],
  ['a line that goes on', ['LOCATION:Ro', ' om 4'], 'Location: Room 4'],
  [
    'no alarm, no number',
    ['SUMMARY:Ropes', 'UID:7', 'BEGIN:VALARM', 'DESCRIPTION:REMINDER', 'END:VALARM'],
    'Summary: Ropes',
  ],
])('%s', (_what, lines, text) => expect(words(lines)).toBe(text))

test('a time zone is no event', () => {
  const zone = [
    'BEGIN:VTIMEZONE',
    'TZID:CET',
    'BEGIN:STANDARD',
    'DTSTART:16011028T030000',
    'END:STANDARD',
    'END:VTIMEZONE',
  ]
  expect(words(['SUMMARY:Ropes'], [[...zone, 'BEGIN:VEVENT'].join('\r\n'), 'END:VEVENT'])).toBe(
    'Summary: Ropes',
  )
})

test('a calendar that says nothing has no text', () =>
  expect(() => words(['UID:7'])).toThrow('it has no text'))
