import { expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { officeParts, wordPart, workbookPart } from '../office-package.ts'
import { type ZipPart, zipOf } from '../zip.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

async function textOf(parts: readonly ZipPart[]): Promise<string> {
  const found = await extractDocument({ filename: 'a', mime_type: '', bytes: zipOf(parts) }, limits)
  return 'text' in found ? found.text : found.unreadable
}

const rows = '<row><c t="inlineStr"><is><t>words</t></is></c></row>'

test.each([
  ['escaped in both', 'Blatt%201', 'Blatt%201'],
  ['escaped in the list alone', 'Blatt%201', 'Blatt 1'],
  ['escaped in the archive alone', 'Blatt 1', 'Blatt%201'],
  ['with a literal per cent sign', '100%', '100%'],
])('the name of a part %s', async (_what, listed, stored) => {
  const parts = officeParts(workbookPart({ rows })).map(({ name, content }) => ({
    name: name.replace('sheet1.xml', `${stored}.xml`),
    content: `${content}`.replace('sheet1.xml', `${listed}.xml`),
  }))
  expect(await textOf(parts)).toContain('words')
})

test('names that begin with a slash', async () => {
  const parts = officeParts(wordPart('<w:p><w:r><w:t>words</w:t></w:r></w:p>'))
  expect(await textOf(parts.map((part) => ({ ...part, name: `/${part.name}` })))).toBe('words')
})

test.each(['utf16le', 'big-endian'])('XML in UTF-16 without a mark: %s', async (order) => {
  const parts = officeParts(wordPart('<w:p><w:r><w:t>Größe</w:t></w:r></w:p>')).map((part) => {
    const content = Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${part.content}`, 'utf16le')
    return { ...part, content: order === 'utf16le' ? content : content.swap16() }
  })
  expect(await textOf(parts)).toBe('Größe')
})
