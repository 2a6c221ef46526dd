import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/deliver/markdown.ts'

test.each([
  [
    '[a](https://example.com)',
    '<p><a href="https://example.com" rel="noopener noreferrer">a</a></p>\n',
  ],
  ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>\n'],
  ['[a](//example.com) [b](/runs/1)', '<p>[a](//example.com) [b](/runs/1)</p>\n'],
  ['<b>bold</b>', '<p>&lt;b&gt;bold&lt;/b&gt;</p>\n'],
  [
    '![a](https://example.com/a.png)',
    '<p>!<a href="https://example.com/a.png" rel="noopener noreferrer">a</a></p>\n',
  ],
  ['**a&amp;b.txt**', '<p><strong>a&amp;amp;b.txt</strong></p>\n'],
  ['invoice\u202efdp.exe', '<p>invoice\\u{202e}fdp.exe</p>\n'],
  ['a\nb', '<p>a\nb</p>\n'],
  [
    '> # Invoice\n> Month;Sum\n> 10;4000',
    '<blockquote>\n<h6>Invoice</h6>\n<p>Month;Sum<br>\n10;4000</p>\n</blockquote>\n',
  ],
  ['> a\n\n# b\nc\nd', '<blockquote>\n<p>a</p>\n</blockquote>\n<h1>b</h1>\n<p>c\nd</p>\n'],
  ['שלום\u200f', '<p>שלום\u200f</p>\n'],
])('%j is rendered as text that is not trusted', (text, html) => {
  expect(renderMarkdown(text)).toBe(html)
})
