import { type Archive, numberedParts } from './extract-archive.ts'
import { walkXml } from './extract-xml.ts'
import type { GrowingText } from './gather-text.ts'
import { readWorkbookDates, type WorkbookDates } from './workbook-dates.ts'

/** A line a row, cells told apart by tabs. */
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

/** Texts of cells stand in one part, each once, and cells name them by number. */
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
      // v: a value; t: a text that stands in the cell itself. The formula, f, is not for reading.
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
