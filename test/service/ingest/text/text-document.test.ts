import { describe, expect, test } from 'vitest'
import type { ReadDocument } from '../../../../src/service/ingest/document-text.ts'
import { textDocument } from '../../../../src/service/ingest/text/text-document.ts'
import { passageTexts } from '../passage-texts.ts'

const limits = { text_length: 100_000_000 }

function readAs(name: string, content: string): ReadDocument {
  return textDocument({ filename: name, mime_type: '' }, { text: content }, limits)
}

const htmlText = (html: string) => readAs('a.html', html).text

test.each([
  ['a.xhtml', '<html><head><title/><script src="a.js"/></head><body>one</body></html>'],
  ['a.html', '<?xml version="1.0"?><html><script src="a.js"/><p><![CDATA[one]]></p></html>'],
  [
    'a.html',
    '<!DOCTYPE html><html lang="de" xmlns="http://www.w3.org/1999/xhtml"><style/><p>one</p></html>',
  ],
  ['a.html', '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:script/><h:p>one</h:p></h:html>'],
])('XHTML is read by the rules of XML: %s %s', (name, page) =>
  expect(readAs(name, page).text).toBe('one'),
)

describe('HTML', () => {
  test.each([
    ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['<p>One\n  line</p>\n<p>Two</p>', 'One line\n\nTwo'],
    ['<h1>Title</h1>text<br>more', 'Title\n\ntext\nmore'],
    ['a<script>var x = "<p>no</p>"</script>b<style>p{}</style>c', 'abc'],
    ['<ul><li>one</li><li>two</li></ul>', 'one\ntwo'],
    ['<ol start=3><li>three<li>four<li value=9>nine</ol>', '3. three\n4. four\n9. nine'],
    ['a &amp; b &lt;c&gt; &#228; &#xe4; &nbsp;&unknown; &#0;', 'a & b <c> ä ä &unknown; \ufffd'],
    ['<a href="x>y" title=\'>\'>link</a> 1 < 2', 'link 1 < 2'],
    ['<!-- <p>hidden</p> -->shown<!doctype html>', 'shown'],
    ['<!--[if mso]><p>Outlook</p><![endif]--><![if !mso]>others<![endif]>', 'others'],
    ['İ<script>x</script>after', 'İafter'],
    ['text <b', 'text'],
    ['&toString; &valueOf;', '&toString; &valueOf;'],
    ['<title>Tides</title><p>text', 'Tides\n\ntext'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<img src=x alt="The pier">behind', 'behind\n\nPicture: The pier'],
    ['before <img alt="the pier"> and <img alt="a.png">', 'before the pier and'],
    ['<button>One</button><button>Two</button>', 'One Two'],
    ['<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1 2'],
    ['<svg><title>A map</title><text>North</text><text>South</text></svg>', 'A map\nNorth\nSouth'],
    ['<input value="Erika"><input type=hidden value=x><input type=password value=x>', 'Erika'],
    [
      '<select><option>one<option selected>two</select><textarea>a\nb</textarea>',
      'one\ntwo\n\na\nb',
    ],
    ['<details><summary>More</summary>of it</details>', 'More\nof it'],
    ['<p hidden>tab two</p><div style="display:none">tab three</div>', 'tab two\n\ntab three'],
    ['<ruby>港<rp>(<rt>みなと<rp>)</ruby>町', '港町'],
    ['<math><mi>x</mi><annotation>\\frac</annotation></math>', 'x'],
    ['<template>none</template>one<noscript>Enable JavaScript', 'one\n\nEnable JavaScript'],
  ])('%s', (html, text) => expect(htmlText(html)).toBe(text))

  test.each([
    '<script>never closed',
    '<title>App</title><div id="root"></div><script src="app.js"></script>',
    '<noscript>You need JavaScript to run this app.</noscript><script>run()</script>',
    '<p>\u00a0</p><table><tr><td></td></tr></table>',
  ])('without a word: %s', (html) => expect(() => htmlText(html)).toThrow('it has no text'))

  test('of pictures only says so', () =>
    expect(() => htmlText('<img src="a.png" alt="The pier">')).toThrow('only pictures'))

  test('a picture alone in a cell is no text, and stands in its place beside words', () => {
    const cell = '<td><img src="a.png" alt="The pier"></td>'
    expect(() => htmlText(`<table><tr>${cell}</tr></table>`)).toThrow('only pictures')
    expect(htmlText(`<table><tr><td>one</td>${cell}</tr></table>`)).toBe('one\tThe pier\n')
    expect(htmlText('<table><tr><td><input value="one"></td></tr></table>')).toBe('one\n')
  })

  test('is read in linear time, however broken the page', () => {
    const pieces = ['<', '<a ', '<!--', '&', '<script>', '"<', '</']
    const tables = ['<table>', '<td>', '<table><tr><td>a', '<tr><td rowspan=9 colspan=9>a', '<tr>']
    const others = ['<li>', 'a <br>', '<ol><li>', '<p>', '<noscript>a']
    for (const piece of [...pieces, ...tables, ...others]) {
      const began = performance.now()
      const html = `word<table><tr><td rowspan=9999>a<td rowspan=9999>b${piece.repeat(30_000)}`
      try {
        htmlText(html)
      } catch (error) {
        expect(error).toHaveProperty('message', 'broken: more than 20000 nested elements')
      }
      // Linear reading takes milliseconds, anything else many minutes.
      expect(performance.now() - began, piece).toBeLessThan(20_000)
    }
  })
})

describe('tables of HTML', () => {
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

  test.each<[string, string, string]>([
    ['an empty cell', row('Anna', '', 'Berta', '5000'), 'Anna\t\tBerta\t5000\n'],
    ['cells without ends', '<tr><td>a<td><td>c<tr><td><td>b', 'a\t\tc\n\tb\n'],
    ['cells without ends, with paragraphs', '<tr><td><p>a<td><p>b<tr><td><p>c', 'a\tb\nc\n'],
    ['a wide cell', `<tr><td colspan=2>a<td>b</tr>${row('c', 'd', 'e')}`, 'a\t\tb\nc\td\te\n'],
    [
      'a high cell',
      `<tr><td>a<td rowspan=2>b<td>c</tr>${row('d', 'e')}${row('f', 'g')}`,
      'a\tb\tc\nd\t\te\nf\tg\n',
    ],
    [
      'high cells at both ends',
      `<tr><td rowspan=3>a<td>b<td rowspan=2>c</tr>${row('d')}${row('e', 'f')}`,
      'a\tb\tc\n\td\n\te\tf\n',
    ],
    [
      'a cell as high as its group',
      `<tbody><tr><td rowspan=0>a<td>b</tr>${row('c')}${row('d')}</tbody><tbody>${row('e', 'f')}`,
      'a\tb\n\tc\n\td\ne\tf\n',
    ],
    [
      'head and foot',
      `<thead><tr><th>Name<th>Pay</thead><tbody>${row('Anna', '5')}<tfoot>${row('sum', '5')}`,
      'Name\tPay\nAnna\t5\nsum\t5\n',
    ],
    [
      'a long cell below a header',
      row('Part', 'Demands') + row('pump', '<p>x</p>'.repeat(9)),
      'Part\tDemands\npump\tx x x x x x x x x\n',
    ],
    ['lines in a cell', row('a<br>b', '<p>c</p><p>d</p>'), 'a b\tc d\n'],
    ['a caption', `<caption>Pay</caption>${row('a', 'b')}`, 'Pay\na\tb\n'],
    ['a list in a cell', row('a', '<ul><li>b<li>c</ul>'), 'a\tb c\n'],
    [
      'a table in a cell of data',
      row('Name', 'Berths') + row('Anna', `<table>${row('1', '2')}${row('3', '4')}</table>`),
      'Name\tBerths\nAnna\t1, 2; 3, 4\n',
    ],
    [
      'a table in a cell of the first row',
      row('Anna', `<table>${row('1', '2')}${row('3', '4')}</table>`, '5000'),
      'Anna\t1, 2; 3, 4\t5000\n',
    ],
  ])('%s', (_what, rows, text) => expect(htmlText(`<table>${rows}</table>`)).toBe(text))

  test('that only arrange a page are parts of it', () => {
    const data = `<table>${row('Name', '', 'Pay')}${row('Anna', '', '5')}</table>`
    const page = `<table>${row('<a>Home</a><br><a>Mail</a>', `<h1>Pay</h1>${data}<p>End</p>`)}</table>`
    expect(htmlText(page).split(/\n+/)).toEqual([
      ...['Home', 'Mail', 'Pay', 'Name\t\tPay', 'Anna\t\t5', 'End', ''],
    ])
  })

  test('have their header in each passage', () => {
    const rows = Array.from({ length: 100 }, (_, at) => row(`row ${at}`, '', 'x'.repeat(20)))
    const page = readAs(
      'a.html',
      `<p>Pay</p><table>${row('Name', '', 'Pay')}${rows.join('')}</table>`,
    )
    const [before, ...passages] = [...passageTexts(page)]
    expect(before).toBe('Pay')
    expect(passages.length).toBeGreaterThan(2)
    for (const passage of passages) expect(passage).toMatch(/^Name\t\tPay\nrow \d+\t\tx/)
  })
})

describe('comma-separated values', () => {
  const lines = (line: string) =>
    Array.from({ length: 150 }, (_, at) => `${at}${line}`).join('\r\n')

  test.each<[string, string, string]>([
    ['a.csv', `Berth,Name,Pay\r\n${lines(',Kittiwake,1')}`, 'Berth,Name,Pay'],
    ['a.csv', `Berth;Name;Pay\n${lines(';"Kittiwake; or ""Gull""";1,5')}`, 'Berth;Name;Pay'],
    ['a.tsv', `Berth\tName\n${lines('\tKittiwake')}`, 'Berth\tName'],
    ['a.csv', `sep=;\r\nBerth;Name\n${lines(';Kittiwake')}`, 'Berth;Name'],
    ['a.csv', `"Number\nof berth","Name"\n${lines(',"two\nlines"')}`, '"Number of berth","Name"'],
    ['a.csv', `Berth|Name\n${lines('|Kittiwake')}\nmade on Monday`, 'Berth|Name'],
  ])('%s %# has its header in each passage', (name, content, header) => {
    const document = readAs(name, content)
    expect(document.text).toBe(content)
    const passages = [...passageTexts(document)].slice(1)
    expect(passages.length).toBeGreaterThan(0)
    for (const passage of passages) {
      expect(passage.startsWith(`${header}\n`)).toBe(true)
      expect(passage).not.toContain('\r')
    }
  })

  test.each<[string, string]>([
    ['a.csv', 'Dear Anna,\nthe berths, as you know, are full, all of them.\nYours, Berta'],
    ['a.csv', 'one column\nof words'],
    ['a.csv', '"never closed, \n'.repeat(3)],
    ['a.txt', 'a,b\n1,2\n3,4'],
  ])('%s %# stays text', (name, content) =>
    expect(readAs(name, content)).toMatchObject({ text: content, tables: [] }),
  )
})
