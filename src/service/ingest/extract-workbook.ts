import { day_ms, isoTime } from '../../base/time/time.ts'
import { type Archive, numberedParts } from './extract-archive.ts'
import type { GrowingText } from './extract-limits.ts'
import { walkXml } from './extract-xml.ts'

/** Adds the names of the sheets, then one line per row, with a tab after each cell. */
export async function extractWorkbook(archive: Archive, text: GrowingText): Promise<void> {
  let is_mac = false
  await walkXml(archive.stream('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'sheet') text.add(`${attributes.name ?? ''}\n`)
      if (name === 'workbookPr') is_mac = /^(1|true)$/.test(attributes.date1904 ?? '')
    },
  })
  const strings = await sharedStrings(archive)
  const dates = await readWorkbookDates(archive, is_mac)
  for (const sheet of numberedParts(archive, 'xl/worksheets')) {
    text.add('\n')
    await addSheet(archive.stream(sheet), { strings, dates }, text)
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
  { strings, dates }: { strings: readonly string[]; dates: WorkbookDates },
  text: GrowingText,
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
        text.add(`${shared ?? (type === 'n' ? dates.textOf(value, style) : undefined) ?? value}\t`)
      }
      if (name === 'row') text.add('\n')
    },
  })
}

type WorkbookDates = Awaited<ReturnType<typeof readWorkbookDates>>

/** Dates are stored as days since this one. Old workbooks of the Mac declare another day 0. */
const day_0_ms = Date.UTC(1899, 11, 30)
const mac_day_0_ms = Date.UTC(1904, 0, 1)
/** The last day of the year 9999, in days since day 0: spreadsheets know no later one. */
const last_day = 2_958_465

/** The numbers of the built-in formats for dates and times (ECMA-376, 18.8.30). */
const date_formats = new Set(['14', '15', '16', '17', '18', '19', '20', '21', '22', '45', '46', '47'])

/** Finds the dates among the numbers of a workbook: only the style of a cell shows a date. */
async function readWorkbookDates(archive: Archive, is_mac: boolean) {
  const is_date = await dateStyles(archive)
  const zero_ms = is_mac ? mac_day_0_ms : day_0_ms
  return {
    /** `2026-03-14` or `2026-03-14 09:30`; undefined if the style or the number is not a date's. */
    textOf(value: string, style: string | undefined): string | undefined {
      const days = Number(value)
      // A number below one day is a time of day or a duration.
      if (!is_date[Number(style ?? 0)] || !(days >= 1 && days <= last_day)) return undefined
      const minutes = Math.round(days * 1_440)
      const text = isoTime(zero_ms + (minutes / 1_440) * day_ms)
      return minutes % 1_440 === 0 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
    },
  }
}

/** One entry per cell style: true if the style shows a date. */
async function dateStyles(archive: Archive): Promise<boolean[]> {
  const styles: boolean[] = []
  const part = 'xl/styles.xml'
  if (!archive.has(part)) return styles
  const own_dates = new Set<string>()
  let in_cell_styles = false
  await walkXml(archive.stream(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt' && isDateFormat(formatCode)) own_dates.add(numFmtId)
      if (name === 'cellXfs') in_cell_styles = true
      if (name === 'xf' && in_cell_styles) styles.push(date_formats.has(numFmtId) || own_dates.has(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') in_cell_styles = false
    },
  })
  return styles
}

/** A date format has date letters outside quotes, brackets (colours, conditions) and escapes. */
function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ''))
}
