import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { unreadableOf } from '../../../../src/service/ingest/extract-limits.ts'
import { extractPdf } from '../../../../src/service/ingest/pdf/extract-pdf.ts'
import { line, pdfFile } from './pdf-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-maps-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function writeMap(name: string, entries: string): void {
  mkdirSync(join(directory, 'Adobe-Japan1'), { recursive: true })
  const map = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${entries} endcmap`
  writeFileSync(join(directory, 'Adobe-Japan1', name), map)
}

/** A font that is not in the file: its code 0x8141 is the character 100 of a collection. */
const japanese = [
  {
    value:
      '<</Type/Font/Subtype/Type0/BaseFont/Ryumin/Encoding/90ms-RKSJ-H/DescendantFonts[101 0 R]>>',
  },
  {
    value: `<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin/FontDescriptor 102 0 R
/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>`,
  },
  { value: '<</Type/FontDescriptor/FontName/Ryumin/Flags 4>>' },
]
const fonts = '/Resources<</Font<</F1 3 0 R/F2 100 0 R>>>>'
const sun = { content: 'BT /F2 12 Tf 50 600 Td <8141> Tj ET', entries: fonts }

async function read(pages: Parameters<typeof pdfFile>[0]) {
  const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }
  return extractPdf({ bytes: pdfFile(pages, japanese) }, limits, directory).catch(unreadableOf)
}

test('a font that is not in the file is read by the maps of the machine', async () => {
  writeMap('90ms-RKSJ-H', '1 begincidchar <8141> 100 endcidchar')
  writeMap('Adobe-Japan1-UCS2', '1 beginbfchar <0064> <65e5> endbfchar')
  expect(await read([sun])).toMatchObject({ text: '日' })
})

test('without the maps, the reason is the missing package', async () => {
  const unreadable =
    'this kind of file needs the optional package poppler-data, which is not installed'
  expect(await read([sun])).toEqual({ unreadable, is_local: true })
  expect(await read([{ content: line('cover') }, sun])).toMatchObject({
    reading: { of: 2, seen: 1, why: 'page 2 needs the package poppler-data' },
  })
})
