import { describe, expect, test } from 'vitest'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

/**
 * A run after a successful one. The service ended its question with an error; it was planned again,
 * and stopped at the next intent.
 */
async function stoppedAfterError(options: Parameters<typeof openRunRig>[0] = {}): Promise<RunRig> {
  const rig = await openRunRig(options)
  await rig.bringIn('z.md')
  await rig.due()
  await rig.run()
  rig.reported.length = 0
  await rig.bringIn('a.md')
  rig.service.injectFaults({ failed_answers: 1 })
  await rig.due()
  await rig.runTo('asked')
  expect(await rig.step()).toBe('asked')
  const { run, turns } = await rig.runTo('planned')
  await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
  await rig.reopen()
  return rig
}

describe.each([false, true])('continue_chat: %s', (continue_chat) => {
  const settings = { continue_chat }

  test('the failed message is not taken for the later one', async () => {
    const rig = await stoppedAfterError({ settings })
    expect(await rig.run()).toEqual(['asking', 'planned', 'asked', 'answered'])
    expect(rig.written()).toContain('the service ended the turn with an error: asked once more')
    expect(rig.written()).toContain('the question was not found on the service: asked once more')
  })

  test('the later message is found', async () => {
    const rig = await stoppedAfterError({ settings })
    const { turns, chat_id } = await rig.runTo('asking')
    const { body } = turns[0]!
    if (chat_id === undefined) await rig.remote.startChat(rig.project_id, body)
    else await rig.remote.appendMessage(rig.project_id, chat_id, body)
    expect(await rig.run()).toEqual(['asking', 'asked', 'answered'])
    expect(rig.written()).toContain('was found on the service')
  })
})

test('not found, then ended with an error: the question is asked once more for each, but not after a second error', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const { run, turns } = await rig.runTo('planned')
  await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
  rig.service.injectFaults({ failed_answers: 2 })
  await rig.reopen()
  expect(await rig.run()).toEqual(['asking', 'planned', 'asked', 'planned', 'asked'])
  expect(rig.reported.at(-1)).toMatch(
    /^failed.*the service ended the turn with an error, twice.*stay fresh/,
  )
  expect(rig.starts()).toBe(2)
})

test('A-37 a lost turn on a later page of the chats is found, even if a cursor is refused', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const { run, turns } = await rig.runTo('planned')
  const [{ body } = { body: '' }] = turns
  await rig.record({ type: 'turn_intended', run, body })
  await rig.remote.startChat(rig.project_id, body)
  const others = Array.from({ length: 101 }, () =>
    rig.remote.startChat(rig.project_id, { prompt: 'something else' }),
  )
  await Promise.all(others)
  const failure = { route: 'chats.list', later_pages: true, status: 404, times: 3 } as const
  rig.service.injectFaults({ failures: [failure] })
  await rig.reopen()
  expect(await rig.run()).toEqual(['asking', 'asked', 'answered'])
  expect(rig.starts()).toBe(102)
  const listed = rig.service.requestLog.filter(({ place }) => place === 'chats.list')
  expect(listed.slice(0, 5).map(({ status }) => status)).toEqual([200, 404, 404, 404, 200])
})
