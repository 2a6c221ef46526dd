import { expect, test } from 'vitest'
import { beginOf } from '../../../src/page/reads/own-runs.ts'

test.each([
  ['# What is new\n\nThe harbour opens.', 'What is new'],
  ['\n---\n\n**Two** contracts ended. Both are old.\n', 'Two contracts ended.'],
  ['> 1. [The plan](https://example.com) is `new`! And more.', 'The plan is new!'],
  ['- 2026 was good\n- and 2027 is better', '2026 was good'],
  ['**docs/the manual.md**\n\n> The pump is old. It leaks.\n\n**b.md**\n\n> x', 'The pump is old.'],
  ['**Two things**\n\nFirst one.', 'Two things'],
  ['| a |\n|---|', '| a |'],
  ['Version 1.5 is out', 'Version 1.5 is out'],
  ['x'.repeat(300), `${'x'.repeat(200)}…`],
  ['...\n***\n', ''],
  ['', ''],
])('of %j the page shows %j', (report, begins) => {
  expect(beginOf(report)).toBe(begins)
})
