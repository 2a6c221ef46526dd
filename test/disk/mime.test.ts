import { describe, expect, test } from 'vitest'
import { mimeType } from '../../src/disk/mime.ts'

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
    ['latin1 text', bytes('Gr\xfc\xdfe an alle, viele'), 'application/octet-stream'],
    ['binary', bytes('abc\0def'), 'application/octet-stream'],
    ['nothing', bytes(''), 'application/octet-stream'],
  ])('%s', (_what, first, type) => {
    expect(mimeType('README', first, {})).toBe(type)
    expect(mimeType('.hidden', first, {})).toBe(type)
  })

  test('a known extension decides before the bytes', () => {
    expect(mimeType('x.txt', bytes('%PDF-1.7'), {})).toBe('text/plain')
  })
})
