import { expect, test } from 'vitest'
import { pathMatcher } from '../../../src/base/text/ignore-patterns.ts'
import { knownFiles } from '../../../src/inspect/files/known-files.ts'
import { openRig } from '../../ledger/views/view-rig.ts'

test('the known files of each named folder are found, those of a pattern alone where it has one', async () => {
  const rig = await openRig()
  for (const name of ['a.txt', 'b.pdf', 'c/d.txt', 'e.txt']) await rig.settle(name)
  const found = (...patterns: string[]) => {
    const named = ['others', 'notes'].map((folder) => ({
      folder,
      path: '',
      matches: pathMatcher(patterns),
    }))
    return [...knownFiles(rig.view(), named, ['waiting'])].map((page) =>
      page.map(({ folder, path }) => `${folder}/${path}`),
    )
  }
  expect(found()).toEqual([['notes/a.txt', 'notes/b.pdf', 'notes/c/d.txt', 'notes/e.txt']])
  expect(found('e.txt')).toEqual([['notes/e.txt']])
  expect(found('none')).toEqual([])
})
