import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { minute_ms, system_clock } from '../../../src/base/time/time.ts'
import { answerRun } from '../../../src/prompts/ask/answer-run.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { openRunRig } from './answer-run-rig.ts'

const never = (kind: string) => `${kind}_00000000000000000000`

describe.each(['default', 'hosted'] as const)('one run (%s)', (profile) => {
  test('goes from the due time to the report: one chat over the fresh files, and the next run has nothing new', async () => {
    const rig = await openRunRig({ profile })
    const assets = [await rig.bringIn('a.md'), await rig.bringIn('b.md')]
    await rig.due()
    expect(await rig.run()).toEqual(['due', 'planned', 'asked', 'answered'])
    expect(rig.starts()).toBe(1)
    expect(rig.chats()[0]?.messages[0]?.scope?.asset_ids?.toSorted()).toEqual(assets.toSorted())
    expect(rig.written()).toContain('a.md')
    await rig.due()
    expect(await rig.run()).toEqual(['due'])
    expect(rig.reported.at(-1)).toContain('skipped')
    expect(rig.starts()).toBe(1)
  })

  test('a crash after the chat was made, before its answer: the chat is found and adopted', async () => {
    const rig = await openRunRig({ profile, service: { answer_delay_ms: 300 } })
    await rig.bringIn('a.md')
    await rig.due()
    const { run, turns } = await rig.runTo('planned')
    const { body } = turns[0]!
    await rig.record({ type: 'turn_intended', run, body })
    await rig.remote.startChat(rig.project_id, body)
    await rig.remote.startChat(rig.project_id, { prompt: 'somebody else asks something else' })
    await rig.reopen()
    expect(await rig.run()).toEqual(['asking', 'asked', 'answered'])
    expect(rig.chats()).toHaveLength(2)
    expect(rig.written()).toContain(rig.chats()[0]!.chat_id)
    expect(rig.written()).toContain('was found on the service')
  })

  test('a crash before the chat was made: the run looks for it, asks once more, and never a third time', async () => {
    const rig = await openRunRig({ profile })
    await rig.bringIn('a.md')
    await rig.due()
    const { run, turns } = await rig.runTo('planned')
    await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
    await rig.reopen()
    expect(await rig.step()).toBe('asking')
    expect(rig.starts()).toBe(0)
    const again = await rig.runTo('planned')
    expect(again.turns[0]?.asked_again).toBe(1)
    await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
    await rig.reopen()
    expect(await rig.run()).toEqual(['asking'])
    expect(rig.reported.at(-1)).toMatch(/failed.*twice/)
    expect(rig.starts()).toBe(0)
  })

  test('an answer that is lost on its way: the chat is found, and not asked again', async () => {
    const rig = await openRunRig({ profile })
    await rig.bringIn('a.md')
    rig.service.injectFaults({
      failures: [
        { route: 'chats.start', status: 0, drop_connection: true, when: 'after', times: 1 },
      ],
    })
    await rig.due()
    expect(await rig.run()).toEqual(['due', 'planned', 'asking', 'asked', 'answered'])
    expect(rig.starts()).toBe(1)
    expect(rig.chats()).toHaveLength(1)
  })

  test.each([
    [502, 'error'],
    [503, 'html'],
    [503, 'empty'],
  ] as const)(
    'an error %i (%s) after the chat was made does not make the run ask again',
    async (status, body) => {
      const rig = await openRunRig({ profile })
      await rig.bringIn('a.md')
      rig.service.injectFaults({
        failures: [{ route: 'chats.start', status, body, when: 'after', times: 1 }],
      })
      await rig.due()
      expect(await rig.run()).toEqual(['due', 'planned', 'asking', 'asked', 'answered'])
      expect(rig.starts()).toBe(1)
    },
  )
})

test('a chat that does not show its question yet may be the right one: the run waits for it and does not ask again', async () => {
  const rig = await openRunRig({
    service: { answer_delay_ms: 1_200 },
    asking: { find_turn_ms: 50 },
  })
  await rig.bringIn('a.md')
  await rig.due()
  const { run, turns } = await rig.runTo('planned')
  await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
  const began_ms = system_clock.monotonic_ms()
  await rig.remote.startChat(rig.project_id, { prompt: 'of somebody else' })
  await rig.reopen()
  expect(await rig.step()).toBe('asking')
  expect(system_clock.monotonic_ms() - began_ms).toBeGreaterThan(900)
  expect(rig.reported.at(-1)).toMatch(/not found.*asked once more/)
})

test('refused for now: the run is planned again after the requested pause, and asked once in the end', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  rig.service.injectFaults({
    failures: [{ route: 'chats.start', status: 429, times: 1, retry_after_s: 600 }],
  })
  await rig.due()
  expect(await rig.run()).toEqual(['due', 'planned'])
  const { next_due_ms } = await rig.ledger.claimRuns(1, { except_projects: [] })
  expect(next_due_ms! - system_clock.now_ms()).toBeGreaterThan(590_000)
  expect(rig.chats()).toHaveLength(0)
})

test('refused for now with a pause of zero: the run still waits before it tries again', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  rig.service.injectFaults({ failures: [{ route: 'chats.start', status: 429, retry_after_s: 0 }] })
  await rig.due()
  const began_ms = system_clock.now_ms()
  expect(await rig.run()).toEqual(['due', 'planned'])
  const { next_due_ms } = await rig.ledger.claimRuns(1, { except_projects: [] })
  expect(next_due_ms! - began_ms).toBeGreaterThanOrEqual(500)
})

test('a refused token keeps the run in its state; it continues with a valid one', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const right = rig.token
  await rig.runTo('planned')
  rig.token = `${right.slice(0, -4)}xxxx`
  expect(await rig.step()).toBe('planned')
  expect(rig.circuits.tripped()).toMatchObject([{ about: 'account' }])
  expect(rig.chats()).toHaveLength(0)
  rig.token = right
  const { next_due_ms } = await rig.ledger.claimRuns(1, { except_projects: [] })
  expect(next_due_ms).toBeLessThan(system_clock.now_ms() + 20_000)
})

test('an asset that was removed before the question is left out, and its file is not covered', async () => {
  const rig = await openRunRig()
  const gone = await rig.bringIn('gone.md')
  const kept = await rig.bringIn('kept.md')
  await rig.service.removeAsset(gone)
  await rig.due()
  await rig.run()
  expect(rig.chats()[0]?.messages[0]?.scope).toEqual({ asset_ids: [kept] })
  expect(rig.chats()[0]?.messages[0]?.prompt).not.toContain('gone.md')
  expect(rig.written()).toContain('gone.md')
})

test('an asset is removed between check and question: the run is planned again without it, and asked once more', async () => {
  const rig = await openRunRig()
  const gone = await rig.bringIn('gone.md')
  const kept = await rig.bringIn('kept.md')
  await rig.due()
  await rig.runTo('planned')
  await rig.service.removeAsset(gone)
  await rig.run()
  expect(rig.starts()).toBe(2)
  expect(rig.chats()).toHaveLength(1)
  expect(rig.chats()[0]?.messages[0]?.scope).toEqual({ asset_ids: [kept] })
})

test('the last asset is removed between check and question: the run is skipped, and the scope is never empty', async () => {
  const rig = await openRunRig()
  const gone = await rig.bringIn('gone.md')
  await rig.due()
  await rig.runTo('planned')
  await rig.service.removeAsset(gone)
  await rig.run()
  expect(rig.reported.at(-1)).toContain('skipped')
  expect(rig.chats()).toHaveLength(0)
})

test('missing chats and projects are left out with a note; the run asks about the existing ones', async () => {
  const scope = { chats: [never('chat')], projects: [never('project')] }
  const rig = await openRunRig({ scope })
  const started = await rig.remote.startChat(rig.project_id, {
    prompt: 'Files that are new, of somebody',
  })
  if (started.ok) scope.chats.push(started.value.chat_id)
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  const report = rig.written().replaceAll('\\', '')
  for (const id of [scope.chats[0], scope.projects[0]])
    expect(report).toContain(`${id} is left out: the service does not have it`)
  expect(report, 'the chat that is there was in the scope').toContain('of somebody')
})

test('a missing id from the configuration is a failure that says what to check', async () => {
  const rig = await openRunRig({ scope: { concepts: [never('concept')] } })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  expect(rig.reported.at(-1)).toMatch(/^failed.*one of concept_[a-z0-9]+ may be gone/)
  expect(rig.starts()).toBe(1)
})

test('a turn that the service ends with an error is asked once more, then the run fails', async () => {
  const once = await openRunRig({ service: { injected_faults: { failed_answers: 1 } } })
  await once.bringIn('a.md')
  await once.due()
  expect(await once.run()).toEqual(['due', 'planned', 'asked', 'planned', 'asked', 'answered'])
  expect(once.starts()).toBe(2)
  expect(once.written()).toContain('ended the turn with an error')

  const twice = await openRunRig({ service: { injected_faults: { failed_answers: 2 } } })
  await twice.bringIn('a.md')
  await twice.due()
  await twice.run()
  expect([twice.starts(), twice.reported.at(-1)]).toEqual([
    2,
    expect.stringMatching(/^failed.*error.*stay fresh/),
  ])
})

test('no answer before the deadline fails the run; its files stay fresh for the next one', async () => {
  const rig = await openRunRig({
    service: { answer_delay_ms: 3_600_000 },
    asking: { deadline_ms: { auto: 1, fast: 120, expert: 1, research: 1 } },
  })
  const asset_id = await rig.bringIn('a.md')
  await rig.due()
  expect(await rig.run()).toEqual(['due', 'planned', 'asked'])
  expect(rig.reported.at(-1)).toMatch(/^failed.*no answer.*stay fresh/)
  await rig.due()
  expect((await rig.runTo('planned')).assets).toMatchObject([{ asset_id }])
})

test('an unreachable service keeps the run in its state, and its deadline does not count meanwhile', async () => {
  const clock = new MovingClock()
  const rig = await openRunRig({
    clock,
    asking: { deadline_ms: { auto: 1, fast: minute_ms, expert: 1, research: 1 } },
  })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.runTo('asked')
  rig.service.injectFaults({ down: true })
  expect(await rig.step()).toBe('asked')
  clock.skip(2 * minute_ms)
  rig.service.injectFaults({ down: false })
  expect(await rig.run()).toEqual(['asked', 'answered'])
})

test('a prompt that is too long is asked once more with a shorter list, and not again', async () => {
  const refusal = { route: 'chats.start', status: 400, body: 'error' } as const
  const settings = { prompt: `${'Be careful. '.repeat(1_000)}{{files}}` }
  const rig = await openRunRig({ settings })
  for (let file = 0; file < 12; file++) await rig.bringIn(`a-rather-long-name-of-a-file-${file}.md`)
  rig.service.injectFaults({ failures: [{ ...refusal, times: 1 }] })
  await rig.due()
  await rig.run()
  expect(rig.starts()).toBe(2)
  expect(rig.chats()[0]?.messages[0]?.prompt).not.toContain('file-11.md')
  expect(rig.chats()[0]?.messages[0]?.scope?.asset_ids).toHaveLength(12)

  const hopeless = await openRunRig({ settings })
  await hopeless.bringIn('a.md')
  await hopeless.bringIn('b.md')
  hopeless.service.injectFaults({ failures: [refusal] })
  await hopeless.due()
  await hopeless.run()
  expect(hopeless.starts()).toBe(2)
  expect(hopeless.reported.at(-1)).toMatch(/^failed/)
})

test('a refusal of a short prompt is not about its length: the run does not ask again', async () => {
  const rig = await openRunRig()
  for (const name of ['a', 'b', 'c']) await rig.bringIn(`a-rather-long-name-of-a-file-${name}.md`)
  rig.service.injectFaults({ failures: [{ route: 'chats.start', status: 400 }] })
  await rig.due()
  expect(await rig.run()).toEqual(['due', 'planned'])
  expect(rig.starts()).toBe(1)
  expect(rig.reported.at(-1)).toMatch(/^failed.*400.*stay fresh/)
})

test('asks about labels by name; a missing label is left out with a note', async () => {
  const rig = await openRunRig({
    scope: { folders: [], labels: ['contracts', 'nowhere'] },
    settings: { when_nothing_new: 'run' },
  })
  const asset_id = await rig.bringIn('a.md')
  await rig.remote.attachLabel(rig.project_id, asset_id, 'contracts')
  await rig.due()
  await rig.run()
  expect(rig.chats()[0]?.messages[0]?.scope).toEqual({
    label_ids: [expect.stringMatching(/^label_/)],
  })
  expect(rig.written()).toContain('nowhere')
})

test('asks nothing if no label is left: an empty scope would mean the whole project', async () => {
  const rig = await openRunRig({
    scope: { folders: [], labels: ['nowhere'] },
    settings: { when_nothing_new: 'run' },
  })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  expect(rig.reported.at(-1)).toMatch(/^failed.*nowhere/)
  expect(rig.starts()).toBe(0)
})

test('a continued chat: the second run adds a turn; if the chat is gone, a new one begins', async () => {
  const rig = await openRunRig({ settings: { continue_chat: true } })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  const chat_id = rig.chats()[0]!.chat_id
  await rig.bringIn('b.md')
  await rig.due()
  await rig.run()
  expect([rig.starts(), rig.appends(), rig.chats()[0]?.messages.length]).toEqual([1, 1, 2])
  await fetch(`${rig.service.api}/v1/chats/${chat_id}`, {
    method: 'DELETE',
    headers: { 'x-api-key': rig.token, 'x-project-id': rig.project_id },
  })
  await rig.bringIn('c.md')
  await rig.due()
  await rig.run()
  expect([rig.starts(), rig.appends(), rig.chats().length]).toEqual([2, 2, 1])
})

test('a turn of a continued chat is found among its messages', async () => {
  const rig = await openRunRig({ settings: { continue_chat: true } })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.run()
  await rig.bringIn('b.md')
  rig.service.injectFaults({
    failures: [
      { route: 'messages.append', status: 0, drop_connection: true, when: 'after', times: 1 },
    ],
  })
  await rig.due()
  expect(await rig.run()).toEqual(['due', 'planned', 'asking', 'asked', 'answered'])
  expect([rig.appends(), rig.chats()[0]?.messages.length]).toEqual([1, 2])
})

test('a report that cannot be written is written later from the same answer', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  await rig.due()
  const work = await rig.runTo('answered')
  const { report } = rig.settings
  rig.settings = {
    ...rig.settings,
    report: { ...report, dir: join(makeTree({ file: '' }), 'file') },
  }
  expect(await rig.step()).toBe('answered')
  expect(rig.reported.at(-1)).toContain('later')
  rig.settings = { ...rig.settings, report }
  await answerRun(work, rig.tools())
  expect(rig.written()).toContain('a.md')
  expect(rig.starts()).toBe(1)
})
