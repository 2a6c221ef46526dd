import { expect, test } from 'vitest'
import { isBelow } from '../../src/base/files/path-below.ts'

test.each([
  ['/srv/docs', '/srv/docs', true],
  ['/srv/docs/a.txt', '/srv/docs', true],
  ['/srv/docs/..trash', '/srv/docs', true],
  ['/srv/docs/..trash/a.txt', '/srv/docs', true],
  ['/srv/docs', '/', true],
  ['/srv', '/srv/docs', false],
  ['/srv/docs2', '/srv/docs', false],
  ['/etc', '/srv/docs', false],
])('%s below %s: %s', (path, directory, is_below) => {
  expect(isBelow(path, directory)).toBe(is_below)
})
