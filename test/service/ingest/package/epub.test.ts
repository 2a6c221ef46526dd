import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { zipOf } from '../zip.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

/** An e-book of these chapters, by the names of their parts. `more`: other items and places. */
async function read(chapters: Readonly<Record<string, string>>, more = '') {
  const names = Object.keys(chapters)
  const items = names.map((name) => `<item id="${name}" href="${name}"/>`)
  const places = names.map((name) => `<itemref idref="${name}"/>`)
  const bytes = zipOf([
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfile full-path="b/a.opf"/></container>',
    },
    { name: 'b/a.opf', content: `<package>${items.join('')}${places.join('')}${more}</package>` },
    ...Object.entries(chapters).map(([name, body]) => ({
      name: `b/${name}`,
      content: `<html><head><title>Book</title></head><body>${body}</body></html>`,
    })),
  ])
  return await extractDocument({ filename: 'a.epub', mime_type: '', bytes }, limits)
}

describe('a chapter', () => {
  test('of a picture alone is not seen, but one with a title is', async () =>
    expect(
      await read({
        '1.xhtml': '<p>one</p>',
        '2.xhtml': '<img src="a.png"/>',
        '3.xhtml': '<svg><image href="a.png"/></svg>',
        '4.xhtml': '<h1>Plate 4</h1><img src="a.png"/>',
      }),
    ).toMatchObject({
      reading: { of: 4, seen: 2, unit: 'part', why: 'parts 2–3 are pictures' },
    }))

  test('that is a file of a picture is not seen', async () =>
    expect(
      await read(
        { '1.xhtml': '<p>one</p>' },
        '<item id="p" href="a.png" media-type="image/png"/><itemref idref="p"/>',
      ),
    ).toMatchObject({
      text: 'Book\n\none',
      reading: { of: 2, seen: 1, why: 'part 2 is a picture' },
    }))

  test('that is missing is named', async () =>
    expect(
      await read({ '1.xhtml': '<p>one</p>' }, '<item id="x" href="x.xhtml"/><itemref idref="x"/>'),
    ).toMatchObject({
      reading: { of: 2, seen: 1, why: 'part 2 is broken (b/x.xhtml is missing)' },
    }))
})

describe('elements of XML', () => {
  test.each([
    ['that end where they begin', '<script src="a.js"/><style/><title/><textarea/><iframe/>one'],
    ['with text as it is', '<p><![CDATA[one & <b>]]></p><script><![CDATA[no()]]></script>'],
    ['with a prefix', '<svg:svg><svg:script>no</svg:script><svg:text>one</svg:text></svg:svg>'],
    ['with an entity of HTML', '<p>one&nbsp;&mdash;</p>'],
    ['that are not well-formed', '<p>one<br><p>two & three</body>'],
  ])('%s', async (_what, body) => {
    const found = await read({ '1.xhtml': body, '2.xhtml': '<p>last</p>' })
    expect(found).toMatchObject({
      text: expect.stringMatching(/one[\s\S]*last$/),
      reading: { seen: 2 },
    })
    expect(found).not.toMatchObject({ text: expect.stringMatching(/no\b|CDATA/) })
  })
})

test('a name in a book is no reason of this machine', async () => {
  const content = `<container><rootfile full-path="Cannot find package 'x'"/></container>`
  const bytes = zipOf([{ name: 'META-INF/container.xml', content }])
  expect(await extractDocument({ filename: 'a.epub', mime_type: '', bytes }, limits)).toEqual({
    unreadable: "broken: its part Cannot find package 'x' is missing",
  })
})

test('a book whose files were packed with their folder is read', async () => {
  const parts = [
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfile full-path="a.opf"/></container>',
    },
    {
      name: 'a.opf',
      content: '<package><item id="1" href="1.html"/><itemref idref="1"/></package>',
    },
    { name: '1.html', content: '<html><body><p>The heron waits.</p></body></html>' },
  ]
  const bytes = zipOf(parts.map((part) => ({ ...part, name: `epub/${part.name}` })))
  const read = await extractDocument({ filename: 'a.epub', mime_type: '', bytes }, limits)
  expect(read).toMatchObject({ text: 'The heron waits.' })
})
