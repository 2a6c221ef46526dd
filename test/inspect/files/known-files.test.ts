import { expect, test } from 'vitest'
import { pathMatcher } from '../../../src/base/text/ignore-patterns.ts'
import { knownFiles } from '../../../src/inspect/files/known-files.ts'
import { openRig } from '../../ledger/views/view-rig.ts'

test('pages of files go on after the last file of a page, also in the next folder', async () => {
  const rig = await openRig()
  for (const name of ['a.txt', 'b.pdf', 'c/d.txt', 'e.txt']) await rig.settle(name)
  const named = [
    { folder: 'notes', path: '' },
    { folder: 'others', path: '' },
  ]
  const first = (after?: { folder: string; path: string }, matches = pathMatcher([])) => {
    const from = { limit: 2, ...(after && { after }) }
    const page = knownFiles(
      rig.view(),
      named.map((each) => ({ ...each, matches })),
      ['waiting'],
      from,
    ).next()
    return page.done ? undefined : page.value.map(({ folder, path }) => `${folder}/${path}`)
  }
  expect(first()).toEqual(['notes/a.txt', 'notes/b.pdf'])
  expect(first({ folder: 'notes', path: 'b.pdf' })).toEqual(['notes/c/d.txt', 'notes/e.txt'])
  expect(first({ folder: 'notes', path: 'e.txt' })).toBeUndefined()
  expect(first({ folder: 'others', path: '' })).toBeUndefined()
  expect(first(undefined, pathMatcher(['e.txt']))).toEqual(['notes/e.txt'])
  // A folder that has left the configuration meanwhile: the pages begin anew.
  expect(first({ folder: 'left', path: 'z' })).toEqual(['notes/a.txt', 'notes/b.pdf'])
})
