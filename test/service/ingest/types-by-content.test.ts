import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../src/service/ingest/extract-document.ts'
import { readText } from '../../../src/service/ingest/text/read-text.ts'
import { wordDocument, zipOf } from './zip.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'documents', name))
const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

/** What the service makes of a file: its text, or why it has none. */
async function read(bytes: Buffer | string, filename: string, mime_type = 'text/plain') {
  const file = { filename, mime_type, bytes: Buffer.from(bytes) }
  const soon = readText(file)
  const found = 'needs_child' in soon ? await extractDocument(file, limits) : soon
  return 'text' in found ? found.text.replace(/\s+/g, ' ').trim() : { no: found.unreadable }
}

const video = Buffer.from(
  Buffer.alloc(188 * 8, 0xff).map((byte, at) => (at % 188 === 0 ? 0x47 : byte)),
)
const word = wordDocument('<w:p><w:t>Berth four</w:t></w:p>')
const not_read = 'the service does not read this kind of file'
const drawing = 'it is a drawing or a model for programs, which the service does not read'
const office = 'application/vnd.ms-'

describe('the bytes decide what a file is, not its ending or its media type', () => {
  test.each<[string, string, Buffer | string]>([
    ['app.ts', 'video/mp2t', 'Berth four'],
    ['todo.org', 'application/vnd.lotus-organizer', 'Berth four'],
    ['a.doc', 'application/msword', '{\\rtf1\\ansi Berth four}'],
    ['a.doc', 'application/msword', '\ufeff{\\rtf1\\ansi Berth four}'],
    ['a.doc', 'application/msword', '<html><body><p>Berth four</p></body></html>'],
    ['a.doc', 'application/msword', word],
    ['a.doc', 'application/msword', 'Berth four'],
    ['a.doc', 'application/msword', Buffer.from('\ufeffBerth four', 'utf16le')],
    ['a.xls', 'application/vnd.ms-excel', '<table><tr><td>Berth</td><td>four</td></tr></table>'],
    ['a.xls', 'application/vnd.ms-excel', 'Berth\tfour\n'],
    ['a.rtf', 'application/rtf', word],
    ['a.docx', 'application/pdf', 'Berth four'],
    ['a.pdf', 'application/pdf', '<!DOCTYPE html><title>Berth</title><p>four'],
    ['a', 'image/png', 'Berth four'],
    ['a.docm', 'application/octet-stream', word],
    ['a', `${office}word.document.macroEnabled.12`, word],
    ['a.dotx', 'application/octet-stream', word],
    ['a.zip', 'application/zip', word],
    ['a.txt', 'text/plain', word],
    ['a.docx', 'application/pdf', Buffer.concat([word, Buffer.from('\n')])],
    ['a.txt', 'text/plain', Buffer.concat([Buffer.from('\n'), word])],
    ['b.pub', 'application/x-mspublisher', 'Berth four'],
    ['b.key', 'application/vnd.apple.keynote', 'Berth four'],
    ['b.db', 'application/vnd.sqlite3', 'Berth four'],
    ['b.ps', 'application/postscript', 'Berth four'],
    ['b.svg', 'image/svg+xml', 'Berth four'],
    ['b.stl', 'model/stl', 'Berth four'],
    ['b.html', 'text/html', 'Berth four'],
  ])('%s, declared %s: case %#', async (name, type, bytes) =>
    expect(await read(bytes, name, type)).toBe('Berth four'),
  )

  test.each(['docm', 'dotx', 'dotm'])('a document renamed to .%s', async (ending) =>
    expect(await read(fixture('harbour.docx'), `a.${ending}`)).toContain('Yrsa Holm'),
  )
  test.each(['xlsm', 'xltx', 'xltm'])('a workbook renamed to .%s', async (ending) =>
    expect(await read(fixture('harbour.xlsx'), `a.${ending}`)).toContain('Yrsa Holm'),
  )
  test.each(['pptm', 'potx', 'ppsx', 'ppsm'])('slides renamed to .%s', async (ending) =>
    expect(await read(fixture('harbour.pptx'), `a.${ending}`)).toContain('Yrsa Holm'),
  )
  test.each([
    ['harbour.docx', `${office}word.document.macroEnabled.12`],
    ['harbour.docx', `${office}word.template.macroEnabled.12`],
    ['harbour.xlsx', `${office}excel.sheet.macroEnabled.12`],
    ['harbour.xlsx', `${office}excel.template.macroEnabled.12`],
    ['harbour.pptx', `${office}powerpoint.slideshow.macroEnabled.12`],
    ['harbour.pdf', 'text/plain'],
  ])('%s under the media type %s', async (name, type) =>
    expect(await read(fixture(name), 'a', type)).toContain('Yrsa Holm'),
  )

  test.each<[string, string, Buffer | string, string]>([
    ['film.ts', 'video/mp2t', video, 'it is a video (MPEG transport stream), which'],
    ['film.ts', 'text/plain', video, 'it is a video (MPEG transport stream), which'],
    ['diary.org', 'application/vnd.lotus-organizer', Buffer.from([0, 1, 2]), not_read],
    ['a.zip', 'application/zip', zipOf([{ name: 'a.txt', content: 'a' }]), not_read],
    ['a.key', 'application/pdf', zipOf([{ name: 'Index/Document.iwa', content: 'a' }]), not_read],
    ['a.png', 'text/plain', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), not_read],
    ['a.txt', 'text/plain', '%!PS-Adobe-3.0\n(Berth) show', drawing],
    ['a.xml', 'text/xml', '<?xml version="1.0"?><svg><text>Berth</text></svg>', drawing],
    ['a.txt', 'text/plain', 'solid part\n facet normal 0 0 1\n', drawing],
    ['a.obj', 'model/obj', '# a cube\no Cube\nv 1.0 -1.0 1\nv 1 1 1\n', not_read],
    ['a.txt', 'text/plain', '{\\xtf1\\ansi\\deff0 Berth\\pard}', 'broken: RTF'],
    ['a.pdf', 'application/pdf', '1 0 obj\n<< /Type /Catalog >>\nendobj\n', 'broken: a PDF'],
  ])('%s, declared %s, is not read: case %#', async (name, type, bytes, why) =>
    expect(await read(bytes, name, type)).toEqual({ no: expect.stringContaining(why) }),
  )

  test('a binary workbook says what it is', async () => {
    const rels = `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`
    const bytes = zipOf([
      { name: '_rels/.rels', content: rels },
      { name: 'xl/workbook.bin', content: '\x83\x01' },
    ])
    expect(await read(bytes, 'a.xlsb')).toEqual({ no: expect.stringContaining('(.xlsb)') })
  })

  test.each([
    'A file of PostScript begins with %!PS.',
    'The mark of a PDF is %PDF-1.7, and it ends with a table.',
    'The first object of a PDF is `1 0 obj`, and it ends with `endobj`.',
    '{\\bf Title} of a LaTeX text',
    'An <svg> is a picture.',
    'v 1.0 is out',
    'v 1.0 2.0 3.0 is out',
    'P2 14 30 Uhr',
    '#VRML is old',
  ])('a text about a format is text: %s', async (text) =>
    expect(await read(text, 'a.txt')).toBe(text),
  )

  test('many comments before an element take no time', async () => {
    const began = performance.now()
    await read(`${'<!---->'.repeat(5_000)}x`, 'a.doc')
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
