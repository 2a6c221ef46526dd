import { expect, test } from 'vitest'
import { printable } from '../../../src/base/text/format.ts'
import { pathAsked } from '../../../src/page/reads/path-asked.ts'

test.each([
  ['docs/plan.txt', 'docs/plan.txt'],
  ['./docs//plan.txt', 'docs/plan.txt'],
  ['"/srv/My Papers/plan.txt"', '/srv/My Papers/plan.txt'],
  ["'docs/plan.txt'", 'docs/plan.txt'],
  ['file:///srv/My%20Papers/pl%C3%A4n.txt', '/srv/My Papers/plän.txt'],
  ['file:///srv/100%.txt', '/srv/100%.txt'],
  ['docs\\2026\\plan.txt', 'docs/2026/plan.txt'],
  ['docs/a\\b.txt', 'docs/a\\b.txt'],
  ['docs/caf\\xe9', 'docs/caf\\xe9'],
  ['docs/a\0b', 'docs/a\0b'],
  ['docs/a\\x00b', 'docs/a\0b'],
  ['', '.'],
])('%j means %j', (text, path) => {
  expect(pathAsked(text)).toBe(path)
})

test.each(['docs/\u202egpj.txt', 'docs/ctl\u001b[31m.txt', 'docs/\u200b'])(
  'a name is found as it is printed: %j',
  (name) => {
    expect(printable(name)).not.toBe(name)
    expect(pathAsked(printable(name))).toBe(name)
  },
)
