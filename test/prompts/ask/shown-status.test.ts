import { describe, expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { awaitAnswer } from '../../../src/prompts/ask/ask-question.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { successOf } from '../../remote/fixture.ts'
import { until } from '../../rig/waiting.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

const sorry = { status: 'error', response: 'The model could not\nfinish. Sorry.' }
const odd = { status: 'pondering', response: 'The harbour is in Trondheim.' }
/** Longer than the hosted profile hides a new message. */
const brief_ms = 400
const brief = { auto: brief_ms, fast: brief_ms, expert: brief_ms, research: brief_ms }

describe.each(['default', 'hosted'] as const)('a status decides (%s)', (profile: ProfileName) => {
  async function due(turn_shows: object, options = {}): Promise<RunRig> {
    const injected_faults = { turn_shows: { status: '', response: '', ...turn_shows } }
    const rig = await openRunRig({ profile, service: { injected_faults }, ...options })
    await rig.bringIn('a.md')
    await rig.due()
    return rig
  }

  /** Asks as a user does; ends with the answer, or rejects. */
  async function asked(turn_shows: object, deadline_ms: number) {
    const { remote, project_id } = await due(turn_shows)
    const turn = successOf(await remote.startChat(project_id, { prompt: 'anything?' }))
    const stopped = new AbortController().signal
    const tools = { remote, project_id, clock: system_clock, stopped }
    return awaitAnswer(tools, turn, { first_ms: 5, max_ms: 30, deadline_ms })
  }

  test('C-14 a run: an error is no report, and the text beside it becomes a note', async () => {
    const rig = await due(sorry)
    expect(await rig.run()).toEqual(['due', 'planned', 'asked', 'planned', 'asked'])
    expect(rig.reported.filter((line) => /^(later|failed)/.test(line))).toEqual([
      expect.stringContaining('asked once more; it said: The model could not finish. Sorry'),
      expect.stringMatching(/^failed.*error, twice.*stay fresh.*could not finish/),
    ])
    expect(rig.starts()).toBe(2)
  })

  test('C-14 a question: an error is no answer, and the text beside it stands in the message', async () => {
    await expect(asked(sorry, 20_000)).rejects.toMatchObject({
      code: 'answer.failed',
      message: expect.stringContaining('it said: The model could not finish. Sorry'),
    })
  })

  test('C-14 a turn that is found after a crash has failed, whatever text it shows', async () => {
    const rig = await due(sorry)
    const { run, turns } = await rig.runTo('planned')
    const [{ body } = { body: '' }] = turns
    await rig.record({ type: 'turn_intended', run, body })
    successOf(await rig.remote.startChat(rig.project_id, body))
    const states = await rig.run()
    expect(states.slice(0, 2)).toEqual(['asking', 'asked'])
    expect(states).not.toContain('answered')
  })

  test('C-23 a run: at the deadline, a text beside an unknown status is taken with a note', async () => {
    const rig = await due(odd, { asking: { deadline_ms: brief } })
    expect(await rig.run()).toEqual(['due', 'planned', 'asked', 'answered'])
    expect(rig.written()).toContain(odd.response)
    expect(rig.written()).toMatch(/status pondering.*did not change in 3 reads/)
  })

  test('C-23 a run that is taken up after its deadline reads three times before it decides', async () => {
    const rig = await due(odd)
    const { run, turns } = await rig.runTo('planned')
    await rig.record({ type: 'turn_intended', run, body: turns[0]!.body })
    const chat = successOf(await rig.remote.startChat(rig.project_id, turns[0]!.body))
    await rig.record({ type: 'turn_asked', run, ...chat })
    await until('the message is shown', async () => {
      const { chat_id, message_id } = chat
      const read = await rig.remote.readMessage(rig.project_id, chat_id, message_id)
      return read.ok && read.value.status === odd.status
    })
    rig.asking = { ...rig.asking, deadline_ms: { auto: 1, fast: 1, expert: 1, research: 1 } }
    await rig.reopen()
    expect(await rig.run()).toEqual(['asked', 'answered'])
  })

  test('C-23 a question: the same, and the answer has the note', async () => {
    expect(await asked(odd, brief_ms)).toMatchObject({
      answer: odd.response,
      note: expect.stringContaining('status pondering'),
    })
  })

  test('C-22 an unknown status with no text ends with the deadline', async () => {
    await expect(asked({ ...odd, response: ' ' }, brief_ms)).rejects.toMatchObject({
      code: 'answer.deadline',
    })
  })
})
