import { expect, test } from 'vitest'
import { answerRun } from '../../../src/prompts/ask/answer-run.ts'
import { openRunRig } from './answer-run-rig.ts'

test('a prompt that leaves the configuration just before its question: nothing is sent', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  await rig.runTo('planned')
  const work = (await rig.claim())!
  await rig.record({ type: 'prompts_configured', prompts: [] })
  await answerRun(work, rig.tools())
  rig.ledger.release('run', [work.run])
  expect(rig.starts()).toBe(0)
  expect(rig.reported).toEqual([])
  // A prompt that comes back is asked at its next time: the old run is over, and its file is still
  // fresh.
  await rig.reopen()
  expect(await rig.run()).toEqual([])
  await rig.due()
  expect(await rig.run()).toEqual(['due', 'planned', 'asked', 'answered'])
  expect([rig.starts(), rig.written().includes('notes/a.md')]).toEqual([1, true])
})

test('a prompt that leaves the configuration while its answer is awaited: the run ends, and says that it was asked', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const work = await rig.runTo('asked')
  await rig.record({ type: 'prompts_configured', prompts: [] })
  await answerRun(work, rig.tools())
  await rig.reopen()
  expect(await rig.run()).toEqual([])
  expect((await rig.ledger.prompts())[0]).toMatchObject({
    open_runs: [],
    last_written_due_ms: undefined,
  })
})
