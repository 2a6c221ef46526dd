import { expect, test } from 'vitest'
import { openRig } from './view-rig.ts'

const first = 'a'.repeat(32)
const second = 'b'.repeat(32)

test('a version counts as outdated while no path has it', async () => {
  const rig = await openRig()
  await rig.bringIn('a.txt', { md5: first, size: 10 })
  await rig.settle('copy.txt', { md5: first, size: 10 })
  const gone = (path: string) => rig.record({ type: 'file_gone', folder: 'notes', path })
  const outdated = () => rig.view().removals().outdated
  await gone('a.txt')
  expect(outdated(), 'the copy has it').toMatchObject({ files: 0, bytes: 0 })
  await rig.settle('copy.txt', { md5: second, size: 20 })
  expect(outdated()).toMatchObject({ files: 1, bytes: 10 })
  await rig.settle('again.txt', { md5: first, size: 10 })
  expect(outdated()).toMatchObject({ files: 0, bytes: 0 })
})
