import { expect, test } from 'vitest'
import { namesText, placesText } from '../../src/status/text/places.ts'

const place = (directory: string, files: number, name = '1.txt') => {
  return { directory, files, example: directory + name }
}

test.each([
  ['one file', [place('docs/a/', 1)], 1, 'docs/a/1.txt'],
  ['all in one directory', [place('docs/hr/', 5)], 5, 'in docs/hr/'],
  [
    'the largest directory first',
    [place('docs/hr/', 2), place('docs/', 1)],
    3,
    '2 in docs/hr/, docs/1.txt',
  ],
  [
    'directories beyond the third',
    [place('a/', 1_200), place('b/', 3), place('c/', 1), place('d/', 1)],
    2_500,
    '1,200 in a/, 3 in b/, c/1.txt and 1,296 elsewhere',
  ],
])('says where files are: %s', (_what, places, total, text) => {
  expect(placesText(places, total)).toBe(text)
})

test('a list of names says how many more there are', () => {
  expect(namesText(['a', 'b'], 2)).toBe('a, b')
  expect(namesText(['a', 'b', 'c', 'd'], 1_200)).toBe('a, b, c and 1,197 more')
})
