import { expect, test } from 'vitest'
import { readText } from '../../../../src/service/ingest/text/read-text.ts'

const many = (part: string) => part.repeat(Math.floor(1_000_000 / part.length))

test.each([
  ['pictures in a sentence', `<p>Begin${many('<img alt="A long quay">')} End`],
  ['pictures in a cell', `<table><tr><td>Begin${many('<img alt="A long quay">')} End`],
  ['spans in a row', `<p>Begin<table><tr>${many('<td colspan=1000 rowspan=65534>a')}</table>End`],
  ['spans in rows', `<p>Begin<table>${many('<tr><td colspan=1000 rowspan=65534>a')}</table>End`],
])('a page of many small parts takes little time: %s', (_what, page) => {
  const began = performance.now()
  const read = readText({ filename: 'a.html', mime_type: '', bytes: Buffer.from(page) })
  expect('text' in read && read.text).toMatch(/^Begin[\s\S]*End\s*$/)
  expect(performance.now() - began).toBeLessThan(6_000)
})
