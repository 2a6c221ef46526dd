import { expect, test } from 'vitest'
import { openPassView } from '../../../src/ledger/views/view-pass.ts'
import { openRig } from './view-rig.ts'

test('the reasons of a pass: counted per reason, with the directories of most files first', async () => {
  const rig = await openRig()
  const error = { code: 'ingest_failed', message: 'the service cannot read .gz files' }
  for (const path of ['a/1.gz', 'a/2.gz', 'top.gz']) {
    const content = await rig.settle(path)
    await rig.record({ type: 'content_refused', content, error })
  }
  const blocked = { type: 'file_blocked', folder: 'notes', stat: undefined } as const
  const unreadable = { reason: 'unreadable', detail: 'this user may not read it' } as const
  for (const path of ['hr/x', 'hr/deep/y', 'hr/deep/z', 'hr/b', 'q/1', 'r/1'])
    await rig.record({ ...blocked, ...unreadable, path, not_before_ms: undefined })
  const pass = openPassView(rig.state_dir)
  expect(pass.reasons('not_ready', ['notes'])).toEqual([
    {
      message: 'this user may not read it',
      files: 6,
      places: [
        { directory: 'notes/hr/', files: 2, example: 'notes/hr/b' },
        { directory: 'notes/hr/deep/', files: 2, example: 'notes/hr/deep/y' },
        { directory: 'notes/q/', files: 1, example: 'notes/q/1' },
      ],
    },
    {
      message: 'the service cannot read .gz files',
      files: 3,
      places: [
        { directory: 'notes/a/', files: 2, example: 'notes/a/1.gz' },
        { directory: 'notes/', files: 1, example: 'notes/top.gz' },
      ],
    },
  ])
  expect(pass.reasons('not_ready', ['other'])).toEqual([])
  expect(pass.reasons('skipped', ['notes'])).toEqual([])
  pass.close()
})
