import { day_ms, isoTime, second_ms } from '../../../../base/time/time.ts'
import type { DocumentText } from '../../document-text.ts'
import { type Archive, numberedParts } from '../archive.ts'
import { walkXml } from '../xml.ts'

/** Adds the names of the sheets, then one line per row, with a tab after each cell. */
export async function extractWorkbook(archive: Archive, text: DocumentText): Promise<void> {
  let is_mac = false
  await walkXml(archive.stream('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'sheet') text.addLabel(`${attributes.name ?? ''}\n`)
      if (name === 'workbookPr') is_mac = /^(1|true)$/.test(attributes.date1904 ?? '')
    },
  })
  const strings = await sharedStrings(archive)
  const dateText = await readWorkbookDates(archive, is_mac)
  for (const sheet of numberedParts(archive, 'xl/worksheets')) {
    text.begin()
    text.add('\n')
    await addSheet(archive.stream(sheet), { strings, dateText }, text)
  }
}

/** The texts of cells. One part contains each text once, and cells refer to it by number. */
async function sharedStrings(archive: Archive): Promise<readonly string[]> {
  const strings: string[] = []
  const part = 'xl/sharedStrings.xml'
  if (!archive.has(part)) return strings
  let current = ''
  let inside = false
  let phonetic = false
  await walkXml(archive.stream(part), {
    open(name) {
      if (name === 'si') current = ''
      if (name === 'rPh') phonetic = true
      inside = name === 't'
    },
    text(piece) {
      if (inside && !phonetic) current += piece
    },
    close(name) {
      if (name === 'si') strings.push(current)
      if (name === 'rPh') phonetic = false
      if (name === 't') inside = false
    },
  })
  return strings
}

async function addSheet(
  chunks: AsyncIterable<Buffer>,
  { strings, dateText }: { strings: readonly string[]; dateText: DateText },
  text: DocumentText,
): Promise<void> {
  let type = ''
  let style: string | undefined
  let value = ''
  let inside = false
  await walkXml(chunks, {
    open(name, attributes) {
      if (name === 'c') {
        type = attributes.t ?? 'n'
        style = attributes.s
        value = ''
      }
      // `v` is a value, `t` a text in the cell itself. The formula, `f`, is left out.
      inside = name === 'v' || name === 't'
    },
    text(piece) {
      if (inside) value += piece
    },
    close(name) {
      inside = false
      if (name === 'c' && value !== '') {
        const shared = type === 's' ? (strings[Number(value)] ?? '') : undefined
        text.add(`${shared ?? (type === 'n' ? dateText(value, style) : undefined) ?? value}\t`)
      }
      if (name === 'row') text.add('\n')
    },
  })
}

type DateText = Awaited<ReturnType<typeof readWorkbookDates>>

/** Dates are stored as days since this one. Old workbooks of the Mac declare another day 0. */
const day_0_ms = Date.UTC(1899, 11, 30)
const mac_day_0_ms = Date.UTC(1904, 0, 1)
/** The last day of the year 9999, in days since day 0: spreadsheets know no later one. */
const last_day = 2_958_465

/** The numbers of the built-in formats for dates and times (ECMA-376, 18.8.30). */
const built_in_formats = ['14', '15', '16', '17', '18', '19', '20', '21', '22', '45', '46', '47']

/**
 * Returns a function that finds dates and durations among the numbers of a workbook by the style of
 * their cells: `2026-03-14`, `2026-03-14 09:30`, or a duration as `36:00:00`; undefined for others.
 */
async function readWorkbookDates(archive: Archive, is_mac: boolean) {
  const kinds = await styleKinds(archive)
  const zero_ms = is_mac ? mac_day_0_ms : day_0_ms
  return (value: string, style: string | undefined): string | undefined => {
    const days = Number(value)
    const kind = kinds[Number(style ?? 0)]
    // A number below one day is no date, but a time of day.
    const min_days = kind === 'date' ? 1 : 0
    if (kind === undefined || !(days >= min_days && days <= last_day)) return undefined
    if (kind === 'duration') {
      const seconds = Math.round(days * 86_400)
      return `${Math.floor(seconds / 3_600)}:${isoTime(seconds * second_ms).slice(14, 19)}`
    }
    const minutes = Math.round(days * 1_440)
    const text = isoTime(zero_ms + (minutes / 1_440) * day_ms)
    return minutes % 1_440 === 0 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
  }
}

type NumberKind = 'date' | 'duration' | undefined

/** The kinds of the numbers, one entry per cell style. */
async function styleKinds(archive: Archive): Promise<NumberKind[]> {
  const styles: NumberKind[] = []
  const part = 'xl/styles.xml'
  if (!archive.has(part)) return styles
  const formats = new Map(
    built_in_formats.map((id): [string, NumberKind] => [id, id === '46' ? 'duration' : 'date']),
  )
  let in_cell_styles = false
  await walkXml(archive.stream(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') formats.set(numFmtId, kindOfFormat(formatCode))
      if (name === 'cellXfs') in_cell_styles = true
      if (name === 'xf' && in_cell_styles) styles.push(formats.get(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') in_cell_styles = false
    },
  })
  return styles
}

/**
 * A format shows a duration if it has hours, minutes or seconds in brackets. It shows a date if it
 * has date letters outside quotes, other brackets (colours, conditions) and escapes.
 */
function kindOfFormat(code: string): NumberKind {
  const format = code.replace(/"[^"]*"|[\\_*]./g, '')
  if (/\[(h+|m+|s+)\]/i.test(format)) return 'duration'
  return /[ymdhs]/i.test(format.replace(/\[[^\]]*\]/g, '')) ? 'date' : undefined
}
