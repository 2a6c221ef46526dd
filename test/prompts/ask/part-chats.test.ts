import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { chatIdsOf, manifestPath } from '../../../src/prompts/manifest.ts'
import { bodyToSend } from '../../../src/prompts/plan/question.ts'
import { successOf } from '../../remote/fixture.ts'
import { openRunRig, type RunRig, type RunRigOptions } from './answer-run-rig.ts'

/** A run over three files in two parts that has come due. */
async function openParts(options: RunRigOptions = {}): Promise<RunRig> {
  const more_turns = { max_assets: 2, when_too_many: 'more_turns' } as const
  const rig = await openRunRig({ ...options, settings: { ...more_turns, ...options.settings } })
  for (const name of ['a', 'b', 'c']) await rig.bringIn(`${name}.md`)
  await rig.due()
  return rig
}

/** A turn is under way whose call is lost after it reached the service. */
function loseNext(rig: RunRig): void {
  rig.service.injectFaults({
    failures: [{ route: 'chats.start', status: 0, drop_connection: true, when: 'after', times: 1 }],
  })
}

function calls(rig: RunRig, route: string): number {
  return rig.service.requestLog.filter(({ place }) => place === route).length
}

function manifestOf(rig: RunRig) {
  const { report_path } = rig.shown(1)
  return JSON.parse(readFileSync(manifestPath(report_path!), 'utf8'))
}

describe.each(['default', 'hosted'] as const)('C-28 the parts of a run (%s)', (profile) => {
  test('have chats of their own, without history; the closing turn has each answer', async () => {
    const rig = await openParts({ profile })
    const { turns } = await rig.runTo('answered')
    const chats = rig.chats()
    expect(chats.map(({ messages }) => messages.length)).toEqual([1, 1, 1])
    const [first, second, closing] = turns.map(({ body }) => JSON.parse(body))
    expect([first.scope.asset_ids.length, second.scope.asset_ids.length]).toEqual([2, 1])
    expect(closing.scope).toEqual({ chat_ids: [turns[0]!.chat_id, turns[1]!.chat_id] })
    for (const { answer } of turns.slice(0, 2)) expect(closing.prompt).toContain(answer!.trim())
    const listed = successOf(await rig.remote.listChats(rig.project_id, {}))
    const titles = new Map(listed.items.map(({ chat_id, title }) => [chat_id, title]))
    expect(titles.get(turns[0]!.chat_id!)).toBe('digest, part 1 of 2')
    expect(titles.get(turns[1]!.chat_id!)).toBe('digest, part 2 of 2')
    expect(titles.get(turns[2]!.chat_id!)).toBeUndefined()
  })

  test('their chats are removed with the report, which has each answer in full', async () => {
    const rig = await openParts({ profile })
    const { turns } = await rig.runTo('answered')
    await rig.run()
    expect(rig.chats().map(({ chat_id }) => chat_id)).toEqual([turns[2]!.chat_id])
    expect(rig.written()).toContain('## Part 2 of 2')
    for (const { answer } of turns) expect(rig.written()).toContain(answer!.trim())
    const manifest = manifestOf(rig)
    expect(manifest.chat_ids).toEqual([turns[2]!.chat_id])
    expect(manifest.turns.map((turn: { chat_removed?: true }) => turn.chat_removed)).toEqual([
      true,
      true,
      undefined,
    ])
    expect(chatIdsOf(rig.shown(1))).toEqual([turns[2]!.chat_id])
  })

  test('each is found after a crash, and not asked again', async () => {
    const rig = await openParts({ profile })
    const states: (string | undefined)[] = []
    for (const _ of ['first part', 'second part', 'closing']) {
      await rig.runTo('planned')
      loseNext(rig)
      for (const __ of ['sent', 'found', 'answered']) states.push(await rig.step())
      await rig.reopen()
    }
    await rig.run()
    expect(states).toEqual(Array(3).fill(['planned', 'asking', 'asked']).flat())
    expect([rig.starts(), rig.appends(), rig.chats().length]).toEqual([3, 0, 1])
    expect(rig.written()).toContain('was found on the service')
  })
})

test('a chat that is removed already, as before a crash, counts as removed', async () => {
  const rig = await openParts()
  const { turns } = await rig.runTo('answered')
  successOf(await rig.remote.removeChat(rig.project_id, turns[0]!.chat_id!))
  await rig.reopen()
  await rig.run()
  expect(rig.chats()).toHaveLength(1)
  expect(manifestOf(rig).chat_ids).toEqual([turns[2]!.chat_id])
})

test('a chat in which a user went on stays', async () => {
  const rig = await openParts()
  const { turns } = await rig.runTo('answered')
  const chat_id = turns[0]!.chat_id!
  successOf(await rig.remote.appendMessage(rig.project_id, chat_id, { prompt: 'And the quay?' }))
  await rig.run()
  expect(rig.chats().map((chat) => chat.chat_id)).toEqual([chat_id, turns[2]!.chat_id])
  expect(manifestOf(rig).chat_ids).toEqual([chat_id, turns[2]!.chat_id])
})

test.each([403, 404, 405, 500])(
  'C-28 a service that answers %i to titles and removals: the report is written, after one try',
  async (status) => {
    const rig = await openParts()
    rig.service.injectFaults({
      failures: [
        { route: 'chats.update', status },
        { route: 'chats.delete', status },
      ],
    })
    await rig.run()
    expect(rig.written()).toContain('## Part 2 of 2')
    expect([calls(rig, 'chats.update'), calls(rig, 'chats.delete')]).toEqual([2, 1])
    expect(manifestOf(rig).chat_ids).toHaveLength(3)
  },
)

test('the closing turn continues the chat of the run before, which stays', async () => {
  const rig = await openParts({ settings: { continue_chat: true } })
  await rig.run()
  const [chat] = rig.chats()
  for (const name of ['d', 'e', 'f']) await rig.bringIn(`${name}.md`)
  await rig.due()
  await rig.run()
  expect(rig.chats().map(({ chat_id, messages }) => [chat_id, messages.length])).toEqual([
    [chat!.chat_id, 2],
  ])
  expect((await rig.ledger.prompts())[0]?.chat_id).toBe(chat!.chat_id)
})

test('without the chats that it would go on in and ask over, the closing turn is asked all the same', async () => {
  const rig = await openParts({ settings: { continue_chat: true } })
  await rig.run()
  const before = rig.chats()[0]!.chat_id
  for (const name of ['d', 'e', 'f']) await rig.bringIn(`${name}.md`)
  await rig.due()
  let work = await rig.runTo('planned')
  while (work.turn < 2) {
    await rig.step()
    work = await rig.runTo('planned')
  }
  for (const { chat_id } of rig.chats())
    successOf(await rig.remote.removeChat(rig.project_id, chat_id))
  await rig.run()
  const [chat] = rig.chats()
  expect(chat?.chat_id).not.toBe(before)
  expect(chat?.messages[0]?.scope?.asset_ids).toHaveLength(2)
  expect(chat?.messages[0]?.prompt).toContain(work.turns[1]!.answer!.trim())
  expect(rig.shown(2).state).toBe('written')
})

test('a run that an earlier version began in one chat ends well: its turn is found there', async () => {
  const rig = await openParts()
  const first = await rig.runTo('planned')
  await rig.step()
  const asked = await rig.runTo('planned')
  const chat_id = asked.turns[0]!.chat_id!
  const body = bodyToSend(asked, rig.settings)
  await rig.record({ type: 'turn_intended', run: first.run, body })
  successOf(await rig.remote.appendMessage(rig.project_id, chat_id, body))
  await rig.reopen()
  expect(await rig.run()).toEqual(['asking', 'asked', 'planned', 'asked', 'answered'])
  const { turns } = rig.shown(first.run)
  expect([turns[0]!.chat_id, turns[1]!.chat_id]).toEqual([chat_id, chat_id])
  expect(rig.chats().map((chat) => chat.chat_id)).toEqual([turns[2]!.chat_id])
})

test.each([
  ['the closing question', 24_000, false],
  ['a service that takes shorter ones', 12_000, true],
] as const)(
  'answers too long for %s are cut, and the report says which',
  async (_, max, is_refused) => {
    const rig = await openParts()
    const { run, turns } = await rig.runTo('planned')
    const answers = ['short', 'long '.repeat(6_000)]
    for (const [turn, answer] of answers.entries()) {
      const { body } = turns[turn]!
      const { chat_id, message_id } = successOf(await rig.remote.startChat(rig.project_id, body))
      await rig.record(
        { type: 'turn_intended', run, body },
        { type: 'turn_asked', run, chat_id, message_id },
        { type: 'turn_answered', run, answer },
      )
    }
    if (is_refused)
      rig.service.injectFaults({ failures: [{ route: 'chats.start', status: 413, times: 1 }] })
    await rig.run()
    const { prompt } = JSON.parse(rig.shown(run).turns[2]!.body)
    expect(prompt.length).toBeLessThanOrEqual(max)
    expect(prompt).toContain('## Part 1 of 2\n\nshort\n\n## Part 2 of 2\n\nlong long')
    expect(rig.written()).toContain('part 2 was cut in the closing question')
    expect(rig.written()).toContain(answers[1]!.trim())
  },
)
