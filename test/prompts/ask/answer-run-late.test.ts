import { expect, test } from 'vitest'
import { day_ms, hour_ms, system_clock } from '../../../src/base/time/time.ts'
import { awaitAnswer } from '../../../src/prompts/ask/await-answer.ts'
import { findTurn } from '../../../src/prompts/ask/find-turn.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

const brief = { auto: 1, fast: 60, expert: 1, research: 1 }

/** A run whose question has reached the service. */
async function asked(options: Parameters<typeof openRunRig>[0] = {}): Promise<RunRig> {
  const rig = await openRunRig({ service: { answer_delay_ms: 3_600_000 }, ...options })
  await rig.bringIn('a.md')
  await rig.due()
  await rig.runTo('asked')
  return rig
}

const searchesOf = (rig: RunRig) =>
  rig.service.requestLog.filter(({ place }) => place === 'messages.read').length
const failing = (status: number, body: 'error' | 'html' = 'error') => ({
  failures: [{ route: 'messages.read', status, body } as const],
})

test('an unreadable answer while all else works: the deadline ends the run', async () => {
  const rig = await asked({ asking: { deadline_ms: brief } })
  rig.service.injectFaults(failing(500))
  const { circuits } = rig
  // Uploads beside it succeed, so that failures of this run never open the circuit.
  rig.circuits.failed = async () => ({ blame: 'none', fact: 'again' })
  expect(await rig.step()).toBe('asked')
  rig.circuits = circuits
  expect(rig.reported.at(-1)).toMatch(
    /^failed.*no answer within.*the last read failed.*500.*stay fresh/,
  )
})

test.each([500, 400])(
  'an answer that cannot be read at all (%i): after the deadline the run tries a few more times',
  async (status) => {
    const rig = await asked()
    rig.service.injectFaults(failing(status))
    const work = await rig.runTo('asked')
    const [turn] = work.turns
    const at = async (ago_ms: number, attempts: number) => {
      const turns = [{ ...turn!, asked_ms: system_clock.now_ms() - ago_ms }]
      for (;;) {
        const facts = await awaitAnswer({ ...work, attempts, turns }, rig.settings, rig.tools())
        if (facts.length > 0 || rig.circuits.tripped().length > 0) return facts
      }
    }
    // A refused read rests nothing, so the run itself reads on until its deadline.
    if (status === 500) expect(await at(0, 0)).toEqual([])
    expect(await at(hour_ms, 0)).toMatchObject([{ type: 'run_deferred' }])
    expect(await at(hour_ms, 4)).toMatchObject([{ type: 'run_deferred' }])
    expect(await at(hour_ms, 5)).toMatchObject([
      { type: 'run_failed', error: { code: 'answer.deadline' } },
    ])
    expect(searchesOf(rig)).toBeGreaterThanOrEqual(3)
  },
)

test.each([
  ['awaitAnswer', awaitAnswer],
  ['findTurn', findTurn],
] as const)(
  '%s while the account is refused: waits until its time is over, is then deferred, and fails after a day',
  async (_, step) => {
    const rig = await asked()
    const work = await rig.runTo('asked')
    rig.token = `${rig.token.slice(0, -4)}xxxx`
    const [turn] = work.turns
    const at = (ago_ms: number, attempts: number) => {
      const began_ms = system_clock.now_ms() - ago_ms
      const turns = [{ ...turn!, asked_ms: began_ms, intended_ms: began_ms }]
      return step({ ...work, attempts, began_ms, turns }, rig.settings, rig.tools())
    }
    expect(await at(0, 0)).toEqual([])
    expect(await at(hour_ms, 9)).toMatchObject([{ type: 'run_deferred' }])
    expect(await at(2 * day_ms, 1)).toMatchObject([{ type: 'run_deferred' }])
    expect(await at(2 * day_ms, 9)).toMatchObject([
      { type: 'run_failed', error: { message: expect.stringContaining('given up') } },
    ])
  },
)

test('without a connection the deadline fails no run: its answer may exist', async () => {
  const rig = await asked()
  const work = await rig.runTo('asked')
  rig.service.injectFaults({ down: true })
  const turns = [{ ...work.turns[0]!, asked_ms: system_clock.now_ms() - hour_ms }]
  const facts = await awaitAnswer({ ...work, attempts: 9, turns }, rig.settings, rig.tools())
  expect(facts).toMatchObject([{ type: 'run_deferred' }])
})
