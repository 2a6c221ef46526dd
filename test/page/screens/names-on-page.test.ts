import { expect, test } from 'vitest'
import { nameText, sentenceText } from '../../../src/page/html/html.ts'

test.each([
  ['a name', '<bdi>a name</bdi>'],
  ['<b>', '<bdi>&lt;b&gt;</bdi>'],
  ['docs/a/b.txt', '<span dir="ltr"><bdi>docs</bdi>/<bdi>a</bdi>/<bdi>b.txt</bdi></span>'],
  ['docs/א/ב', '<span dir="ltr"><bdi>docs</bdi>/<bdi>א</bdi>/<bdi>ב</bdi></span>'],
  ['a/\u202eb', '<span dir="ltr"><bdi>a</bdi>/<bdi>\\u{202e}b</bdi></span>'],
  ['', '<bdi></bdi>'],
])('each name of the path %j stands alone', (path, expected) => {
  expect(nameText(path).text).toBe(expected)
})

test.each([
  ['a plain sentence: docs/a.txt', 'a plain sentence: docs/a.txt'],
  ['docs/שלום/ملف.txt has waited', 'docs/<bdi>שלום</bdi>/<bdi>ملف.txt</bdi> has waited'],
  ['<b> א', '&lt;b&gt; <bdi>א</bdi>'],
  ['in שלום עולם now', 'in <bdi>שלום עולם</bdi> now'],
])('the sentence %j keeps its order', (sentence, expected) => {
  expect(sentenceText(sentence).text).toBe(expected)
})
