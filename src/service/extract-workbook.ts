import { type Archive, numberedParts } from './extract-archive.ts'
import type { ExtractLimits } from './extract-limits.ts'
import { walkXml } from './extract-xml.ts'
import { GrowingText } from './gather-text.ts'

/** A line a row, cells told apart by tabs; dates as the numbers that they are stored as. */
export async function extractWorkbook(archive: Archive, limits: ExtractLimits): Promise<string> {
  const text = new GrowingText(limits)
  await walkXml(archive.stream('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'sheet') text.add(`${attributes.name ?? ''}\n`)
    },
  })
  const strings = await sharedStrings(archive)
  for (const sheet of numberedParts(archive, /^xl\/worksheets\/sheet(\d+)\.xml$/)) {
    text.add('\n')
    await addSheet(archive.stream(sheet), strings, text)
  }
  return text.toString()
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

async function addSheet(chunks: AsyncIterable<Buffer>, strings: readonly string[], text: GrowingText): Promise<void> {
  let type = ''
  let value = ''
  let inside = false
  await walkXml(chunks, {
    open(name, attributes) {
      if (name === 'c') {
        type = attributes.t ?? 'n'
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
      if (name === 'c' && value !== '') text.add(`${type === 's' ? (strings[Number(value)] ?? '') : value}\t`)
      if (name === 'row') text.add('\n')
    },
  })
}
