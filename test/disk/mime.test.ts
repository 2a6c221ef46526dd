import { describe, expect, test } from 'vitest'
import { mimeType, type_bytes, withCharset } from '../../src/disk/mime.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const zip = (names: string) => bytes(`PK\x03\x04${'\0'.repeat(26)}${names}`)

test.each([
  ['a/report.PDF', 'application/pdf'],
  ['notes.md', 'text/markdown'],
  ['table.csv', 'text/csv'],
  ['page.html', 'text/html'],
  ['x.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['archive.tar.gz', 'application/gzip'],
])('by extension: %s', (path, type) => {
  expect(mimeType(path, undefined, {})).toBe(type)
})

test('the config decides first, whatever the case', () => {
  expect(mimeType('x.MD', bytes('%PDF-1.7'), { md: 'text/plain' })).toBe('text/plain')
  expect(mimeType('x.weird', undefined, { WEIRD: 'application/x-weird' })).toBe(
    'application/x-weird',
  )
  expect(mimeType('weird', undefined, { weird: 'application/x-weird' })).toBe(
    'application/octet-stream',
  )
})

describe('by the first bytes where the extension is unknown', () => {
  test.each<[string, Uint8Array, string]>([
    ['PDF', bytes('%PDF-1.7\n'), 'application/pdf'],
    ['PNG', bytes('\x89PNG\r\n\x1a\n\0'), 'image/png'],
    ['JPEG', bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
    ['GIF', bytes('GIF89a..'), 'image/gif'],
    ['gzip', bytes('\x1f\x8b\x08\0'), 'application/gzip'],
    ['ZIP', zip('readme.txt'), 'application/zip'],
    [
      'Word',
      zip('[Content_Types].xml....word/document.xml'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [
      'Excel',
      zip('[Content_Types].xml....xl/workbook.xml'),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    [
      'PowerPoint',
      zip('ppt/presentation.xml'),
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ],
    [
      'OpenDocument',
      zip('mimetypeapplication/vnd.oasis.opendocument.textPK\x03\x04'),
      'application/vnd.oasis.opendocument.text',
    ],
    ['text', Buffer.from('Grüße\tan alle\r\n'), 'text/plain'],
    ['text cut inside a character', Buffer.from(`${'x'.repeat(4_095)}ü`), 'text/plain'],
    ['text in an old character set', bytes('Gr\xfc\xdfe an alle, viele'), 'text/plain'],
    ['binary', bytes('abc\0def'), 'application/octet-stream'],
    ['nothing', bytes(''), 'application/octet-stream'],
  ])('%s', (_what, first, type) => {
    expect(mimeType('README', first, {})).toBe(type)
    expect(mimeType('.hidden', first, {})).toBe(type)
  })
})

const video = new Uint8Array(188 * 8).map((_, at) => (at % 188 === 0 ? 0x47 : 0xff))
const office = 'application/vnd.openxmlformats-officedocument'
const word_zip = zip('[Content_Types].xml....word/document.xml')
const old_office = bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')

describe('an extension with two meanings: the bytes decide', () => {
  test.each<[string, Uint8Array, string]>([
    ['app.ts', bytes('export const a = 1\n'), 'text/plain'],
    ['film.ts', video, 'video/mp2t'],
    ['todo.org', bytes('* TODO buy rope\n'), 'text/plain'],
    ['diary.org', bytes('\0\x01\x02'), 'application/vnd.lotus-organizer'],
    ['id.key', bytes('-----BEGIN PRIVATE KEY-----\n'), 'text/plain'],
    ['talk.key', zip('Index/Document.iwa'), 'application/vnd.apple.keynote'],
    ['id.pub', bytes('ssh-ed25519 AAAA erika@harbour\n'), 'text/plain'],
    ['card.pub', old_office, 'application/x-mspublisher'],
    ['part.stl', bytes('1\n00:00:01 --> 00:00:02\nHello\n'), 'text/plain'],
    ['guide.asc', bytes('= Guide\n\nText.\n'), 'text/plain'],
    ['notes.ps', bytes('PS: buy rope\n'), 'text/plain'],
    ['plan.ai', bytes('%PDF-1.5\n'), 'application/pdf'],
    ['plan.eps', bytes('%!PS-Adobe-3.0 EPSF-3.0\n'), 'application/postscript'],
    ['x.svg', bytes('<?xml version="1.0"?><!-- a --><svg>'), 'image/svg+xml'],
    ['x.svg', bytes('not a picture'), 'text/plain'],
    ['a.doc', old_office, 'application/msword'],
    ['a.doc', bytes('{\\rtf1\\ansi Hello}'), 'application/rtf'],
    ['a.doc', bytes('<html><body>'), 'text/html'],
    ['a.doc', word_zip, `${office}.wordprocessingml.document`],
    ['a.doc', bytes('plain text'), 'text/plain'],
    ['a.xls', bytes('<!DOCTYPE html>\n<HTML>'), 'text/html'],
    ['a.xls', bytes('a;b\n1;2\n'), 'text/plain'],
    ['a.rtf', word_zip, `${office}.wordprocessingml.document`],
    ['a.docm', word_zip, 'application/vnd.ms-word.document.macroenabled.12'],
    ['a.dotx', word_zip, `${office}.wordprocessingml.template`],
    ['a.xlsm', zip('xl/workbook.xml'), 'application/vnd.ms-excel.sheet.macroenabled.12'],
    ['a.xlsx', word_zip, `${office}.wordprocessingml.document`],
    ['a.docx', old_office, `${office}.wordprocessingml.document`],
    ['a.jar', zip('META-INF/MANIFEST.MF'), 'application/java-archive'],
    ['a.txt', bytes('%PDF-1.7'), 'application/pdf'],
    ['a.json', zip('a'), 'application/zip'],
    ['a.txt', bytes('\xff\xfea\0'), 'text/plain'],
    ['a.geojson', bytes('{}'), 'application/geo+json'],
    ['a.md', bytes('# Title\n'), 'text/markdown'],
    ['a.csv', bytes('name;Gr\xf6\xdfe\n'), 'text/csv'],
    ['a.png', bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
    ['a.txt', bytes(''), 'text/plain'],
  ])('%s is %# of the table', (path, first, type) => expect(mimeType(path, first, {})).toBe(type))

  test('many comments before an element take no time', () => {
    const began = performance.now()
    mimeType('a.xml', bytes(`${'<!---->'.repeat(500)}x`), {})
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

describe('the charset of a folder', () => {
  const old = Buffer.from('Gr\xf6\xdfe', 'latin1')
  const long = (end: Buffer | string) =>
    Buffer.concat([Buffer.alloc(type_bytes - 1, 'a'), Buffer.from(end)])

  test.each([
    ['text/plain', old],
    ['text/csv', old],
    ['text/markdown', old],
    ['text/tab-separated-values', old],
    ['text/x-python', old],
    ['application/sql', old],
    ['application/x-sh', old],
    ['application/x-tex', old],
    ['application/x-httpd-php', old],
    ['application/x-perl', old],
    ['text/plain', Buffer.from('only ASCII')],
    ['text/plain', Buffer.from('')],
    ['text/plain', long(old)],
  ])('%s names it: case %#', (type, bytes) =>
    expect(withCharset(type, bytes, 'cp850')).toBe(`${type}; charset=cp850`),
  )

  test.each([
    ['text/html', old],
    ['text/xml', old],
    ['text/rtf', old],
    ['text/calendar', old],
    ['application/pdf', old],
    ['application/json', old],
    ['application/xml', old],
    ['application/ld+json', old],
    ['application/xhtml+xml', old],
    ['application/octet-stream', old],
    ['application/x-iso9660-image', Buffer.from('a\x01\xf6', 'latin1')],
    ['image/png', old],
    ['text/plain', Buffer.from('Größe')],
    ['text/plain', Buffer.from('\ufeffonly ASCII')],
    ['text/plain', Buffer.from('\ufeffGröße', 'utf16le')],
    ['text/plain', Buffer.from('Size', 'utf16le')],
    ['text/plain', Buffer.concat([Buffer.from('ö'), long('ö')])],
  ])('%s does not: case %#', (type, bytes) => expect(withCharset(type, bytes, 'cp850')).toBe(type))

  test('nor does any without a charset', () =>
    expect(withCharset('text/plain', old, undefined)).toBe('text/plain'))
})
