import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { read } from './mails.ts'

const words = async (bytes: Buffer | string, filename: string) => {
  const found = await read(bytes, filename)
  return 'text' in found ? found.text.replace(/\s+/g, ' ').trim() : found.unreadable
}

describe('texts in a form for programs', () => {
  test('a notebook: its cells and what they printed, without pictures', async () => {
    const picture = Buffer.from('picture '.repeat(200)).toString('base64')
    const outputs = [
      { output_type: 'stream', text: ['depth 9 m\n'] },
      { output_type: 'display_data', data: { 'image/png': picture, 'text/plain': ['<Figure>'] } },
      { output_type: 'error', evalue: 'no such berth' },
    ]
    const cells = [
      { cell_type: 'markdown', source: ['# Berth four\n', 'is closed'] },
      { cell_type: 'code', source: 'print(depth)', outputs },
    ]
    const text = '# Berth four is closed print(depth) depth 9 m <Figure> no such berth'
    for (const name of ['a.ipynb', 'a.json'])
      expect(await words(JSON.stringify({ cells, nbformat: 4 }), name)).toBe(text)
    const old = { nbformat: 3, worksheets: [{ cells: [{ input: ['print(1)'] }] }] }
    expect(await words(JSON.stringify(old), 'b.ipynb')).toBe('print(1)')
    expect(await words('{"cells": [], "nbformat"', 'c.ipynb')).toBe(
      'broken: a notebook that is no JSON',
    )
    for (const cells of ['{}', '[null]'])
      expect(await words(`{"cells": ${cells}, "nbformat": 4}`, 'd.ipynb')).toBe(
        'broken: a notebook whose cells have another form',
      )
  })

  test.each([
    ['text', '<text:p>Berth four</text:p>', 'part', 'Berth four'],
    [
      'spreadsheet',
      '<table:table table:name="Berths"><table:table-row><table:table-cell><text:p>four</text:p></table:table-cell></table:table-row></table:table>',
      'sheet',
      'Berths four',
    ],
    [
      'presentation',
      '<draw:page><draw:frame><draw:text-box><text:p>Berth four</text:p></draw:text-box></draw:frame></draw:page>',
      'slide',
      'Berth four',
    ],
  ])('OpenDocument in one XML file: %s', async (kind, body, unit, text) => {
    const names = ['office', 'text', 'table', 'draw', 'style', 'meta', 'dc']
      .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
      .join(' ')
    const type = `office:mimetype="application/vnd.oasis.opendocument.${kind}"`
    const margin = kind === 'text' ? '<style:header><text:p>Harbour</text:p></style:header>' : ''
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<office:document ${names} ${type}><office:meta><dc:title>silent</dc:title></office:meta><office:master-styles><style:master-page>${margin}</style:master-page></office:master-styles><office:body><office:${kind}><draw:image><office:binary-data>QmVydGg=</office:binary-data></draw:image>${body}</office:${kind}></office:body></office:document>`
    const found = await read(xml, 'a.xml')
    expect(found).toMatchObject({ reading: { unit, of: 1, seen: 1 } })
    const expected = kind === 'text' ? `Harbour ${text}` : text
    expect((found as { text: string }).text.replace(/\s+/g, ' ').trim()).toBe(expected)
  })

  test('Markdown without the bytes of its pictures', async () =>
    expect(
      await words(`Berth ![quay](data:image/png;base64,${'iVBORw0KGgo'.repeat(90)}) four`, 'a.md'),
    ).toBe('Berth ![quay]() four'))
})

describe('one text in .gz', () => {
  test('is read by the name within', async () => {
    expect(await words(gzipSync('Berth four'), 'a.txt.gz')).toBe('Berth four')
    expect(await words(gzipSync('<p>Berth <b>four</b>'), 'a.html.gz')).toBe('Berth four')
  })

  test.each<[string, Buffer, string]>([
    [
      'a package of files',
      gzipSync(Buffer.concat([Buffer.alloc(257), Buffer.from('ustar'), Buffer.alloc(250)])),
      'a package of files (.tar.gz), which the service does not read',
    ],
    ['a bomb', gzipSync(Buffer.alloc(30_000_000)), 'it unpacks to more than 20 MB'],
    [
      'half of one',
      gzipSync('Berth four'.repeat(99)).subarray(0, 20),
      'broken: unexpected end of file',
    ],
  ])('%s is refused', async (_what, bytes, reason) =>
    expect(await read(bytes, 'a.gz')).toEqual({ unreadable: reason }),
  )
})
