import { expect, test } from 'vitest'
import { nameText, sentenceText } from '../../../src/page/html/html.ts'
import { beginSignedIn, press } from '../signed-in.ts'

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

test('a path in a script from right to left is made of the same pieces on each screen', async () => {
  const path = 'עברית/שלום עולם.txt'
  const { journey, as } = await beginSignedIn({ service: { ingest: { max_bytes: 1_000 } } })
  journey.write({ [`docs/${path}`]: 'x'.repeat(2_000) })
  await journey.stage(`docs/${path}`, 'refused')
  const ada = await as('ada')
  const of_file = new URLSearchParams({ folder: 'docs', path })
  const screens = [
    '/problems',
    '/files',
    `/file?${of_file}`,
    `/find?${new URLSearchParams({ path: `docs/${path}` })}`,
  ]
  for (const screen of screens) {
    const { text } = await ada.get(screen)
    expect(text, screen).toContain('<bdi>עברית</bdi>/<bdi>שלום עולם.txt</bdi>')
    const without_attributes = text.replaceAll(/="[^"]*"/g, '')
    expect(without_attributes, screen).not.toContain('עברית/')
  }
  await press(ada, '/problems', 'Retry')
  expect((await ada.get('/problems')).text).toContain(
    'Sluice tries docs/<bdi>עברית</bdi>/<bdi>שלום עולם.txt</bdi> again.',
  )
  await journey.idle()
  journey.ends({ left_out: [`docs/${path}`] })
})
