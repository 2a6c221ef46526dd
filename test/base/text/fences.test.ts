import { expect, test } from 'vitest'
import { withClosedFence } from '../../../src/base/text/fences.ts'

test.each([
  ['no fence', 'a `b` c', ''],
  ['a closed one', '```ts\na\n```\nb', ''],
  ['an open one', 'a\n```sh\nls', '\n```'],
  ['an open one of tildes', '~~~~ x\n```\n~~~', '\n~~~~'],
  ['a longer end', '```\na\n`````', ''],
  ['an end with words is none', '```\na\n``` b', '\n```'],
  ['ticks within a line are no fence', '``` a ``` b', ''],
  ['a second one', '```\na\n```\n```\nb', '\n```'],
  ['carriage returns', '```\r\na\r\n```\r\nb', ''],
])('closes what is open: %s', (_what, text, end) => {
  expect(withClosedFence(text)).toBe(text + end)
  expect(withClosedFence(text + end)).toBe(text + end)
})
