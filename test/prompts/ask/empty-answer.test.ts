import { expect, test } from 'vitest'
import { awaitAnswer } from '../../../src/prompts/ask/await-answer.ts'
import { openRunRig } from './answer-run-rig.ts'

test('an empty answer fails the run, and its files are not covered', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const work = await rig.runTo('asked')
  const tools = rig.tools()
  // The local service never gives an empty answer.
  const remote: typeof tools.remote = {
    ...tools.remote,
    readMessage: async () =>
      ({ ok: true, value: { status: 'done', prompt: 'a', response: ' \n' } }) as never,
  }
  expect(await awaitAnswer(work, rig.settings, { ...tools, remote })).toEqual([
    {
      type: 'run_failed',
      run: work.run,
      error: { code: 'answer.empty', message: expect.stringContaining('its files stay fresh') },
    },
  ])
})
