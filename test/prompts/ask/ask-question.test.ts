import { expect, test } from 'vitest'
import { type Clock, system_clock } from '../../../src/base/time/time.ts'
import { awaitAnswer } from '../../../src/prompts/ask/ask-question.ts'
import { successOf } from '../../remote/fixture.ts'
import { openRunRig } from './answer-run-rig.ts'

test('`Retry-After: 0` does not make the client retry without a rest', async () => {
  const { remote, service, project_id } = await openRunRig()
  const turn = successOf(await remote.startChat(project_id, { prompt: 'anything?' }))
  service.injectFaults({
    failures: [{ route: 'messages.read', status: 503, retry_after_s: 0, times: 2 }],
  })
  const slept: number[] = []
  const clock: Clock = {
    ...system_clock,
    sleep: (ms, signal) => {
      slept.push(ms)
      return system_clock.sleep(0, signal)
    },
  }
  const tools = { remote, project_id, clock, stopped: new AbortController().signal }
  await awaitAnswer(tools, turn, { first_ms: 1_000, max_ms: 2_000, deadline_ms: 60_000 })
  expect(slept.length).toBeGreaterThanOrEqual(2)
  expect(Math.min(...slept)).toBeGreaterThanOrEqual(100)
})
