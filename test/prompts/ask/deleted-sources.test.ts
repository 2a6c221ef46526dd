import { describe, expect, test } from 'vitest'
import type { DeletedFile } from '../../../src/ledger/views/view-arrivals.ts'
import { sourcesOf, sourceText } from '../../../src/prompts/ask/ask-question.ts'
import { withArrivalsView } from '../../../src/status/with-view.ts'
import { openRig } from '../../ledger/views/view-rig.ts'

const file = (path: string) => ({ folder: 'notes', path, asset_id: `asset_${path}`, arrived_ms: 0 })
const deletedFile = (path: string, shown_name: string | null = null): DeletedFile => {
  return { folder: 'notes', path, asset_id: `asset_${path}`, shown_name }
}

const textsOf = (
  answer: string,
  deleted: readonly DeletedFile[],
  { files = [file('a.txt')], is_wide = true } = {},
) => sourcesOf({ answer, told: {} }, files, deleted, is_wide).map(sourceText)

describe('the sources of an answer that names deleted files', () => {
  test('a deleted file is there by its place, or by its name on the service', () => {
    const lost = deletedFile('old/lost.txt', 'lost (1).txt')
    expect(textsOf('**notes/old/lost.txt** says', [lost])).toEqual([
      'notes/old/lost.txt (deleted on disk)',
      'notes/a.txt',
    ])
    expect(textsOf('as `lost (1).txt` says', [lost])).toContain(
      'notes/old/lost.txt (deleted on disk)',
    )
  })

  test.each([
    ['the own name alone may be that of a file that is there', 'lost.txt says', true],
    ['another name that ends alike', 'more-notes/old/lost.txt says', true],
    ['nothing names it', 'it ends in May', true],
    ['the question was about files only', '**notes/old/lost.txt** says', false],
  ])('not: %s', (_why, answer, is_wide) => {
    expect(textsOf(answer, [deletedFile('old/lost.txt')], { is_wide })).toEqual(['notes/a.txt'])
  })

  test('a file that was deleted while the service answered', () => {
    expect(textsOf('a.txt says', [deletedFile('a.txt')], { is_wide: false })).toEqual([
      'notes/a.txt (deleted on disk)',
    ])
  })
})

test('the ledger has deleted files whose content only the service still has, the newest first', async () => {
  const rig = await openRig()
  const gone = async (path: string) => {
    await rig.clock.advance(1)
    await rig.record({ type: 'file_gone', folder: 'notes', path })
  }
  const deleted = () =>
    withArrivalsView(rig.state_dir, (view) => view!.deleted().map(({ path }) => path))
  for (const path of ['stays.txt', 'first.txt', 'second.txt']) await rig.bringIn(path)
  await rig.bringIn('old name.txt', { md5: 'a'.repeat(32) })
  await rig.settle('new name.txt', { md5: 'a'.repeat(32) })
  await rig.settle('never in.txt')
  expect(await deleted()).toEqual([])
  for (const path of ['first.txt', 'old name.txt', 'never in.txt', 'second.txt']) await gone(path)
  expect(await deleted()).toEqual(['second.txt', 'first.txt'])
  await gone('new name.txt')
  expect(await deleted()).toEqual(['new name.txt', 'second.txt', 'old name.txt', 'first.txt'])
})
