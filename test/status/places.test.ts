import { expect, test } from 'vitest'
import { pathPlacesText } from '../../src/status/text/places.ts'

const many = (directory: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${directory}${at}.txt`)

test.each([
  ['one file', ['a/b.txt'], 1, 'docs/a/b.txt'],
  ['all in one directory', many('hr/', 5), 5, 'in docs/hr/'],
  ['all at the root', many('', 2), 2, 'in docs/'],
  ['the largest directory first', ['z.txt', ...many('hr/', 2)], 3, '2 in docs/hr/, docs/z.txt'],
  [
    'directories beyond the third, and paths that are not listed',
    ['a/1', 'b/1', 'c/1', 'd/1', ...many('hr/', 4)],
    1_500,
    '4 in docs/hr/, docs/a/1, docs/b/1 and 1,494 elsewhere',
  ],
  ['a directory with a slash at its end', ['old/r\\xe9/', 'old/x\\xff'], 2, 'in docs/old/'],
])('says where files are: %s', (_what, paths, total, text) => {
  expect(pathPlacesText('docs/', paths, total)).toBe(text)
})
