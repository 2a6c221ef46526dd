import { expect, test as inTurn } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import { besideOrAlone } from '../../../src/cli/daemon/beside-or-alone.ts'
import { startControl } from '../../../src/control/control-server.ts'
import type { ControlVerbs } from '../../../src/control/control-verbs.ts'
import { controlSocket } from '../../../src/ledger/file/state-directory.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeStore } from '../../rig/tree.ts'
import { idle_verbs } from '../idle-verbs.ts'

const test = inTurn.concurrent
const locked = new SluiceError({
  code: 'ledger.locked',
  message: 'another Sluice process is at work',
})

const verbs: ControlVerbs = {
  ...idle_verbs,
  ping: async () => ({ pid: 4711, version: '1.2.3', mode: 'run' }),
}

/** A process holds the ledger; `at` runs at the third try. */
function trials(at: () => Promise<string | undefined>) {
  let tries = 0
  return {
    count: () => tries,
    async alone(): Promise<string> {
      if (++tries === 3) {
        const answer = await at()
        if (answer !== undefined) return answer
      }
      throw locked
    },
  }
}

/** Moves the clock until the work has ended. */
async function ended<Answer>(clock: FakeClock, work: Promise<Answer>): Promise<Answer> {
  let is_over = false
  const end = () => {
    is_over = true
  }
  work.then(end, end)
  await clock.runUntil(() => is_over)
  return work
}

test('waits for a starting daemon, then asks it', async ({ onTestFinished }) => {
  const state_dir = makeStore()
  const { count, alone } = trials(async () => {
    const control = await startControl({ socket: controlSocket(state_dir), verbs })
    onTestFinished(() => control.close())
    return undefined
  })
  const beside = async ({ presence }: { presence: { pid: number } }) => `asked ${presence.pid}`
  const clock = new FakeClock()
  expect(await ended(clock, besideOrAlone(state_dir, { beside, alone }, clock))).toBe('asked 4711')
  expect(count()).toBe(3)
})

test('waits for a daemon that stops, then works alone; reports one that neither stops nor answers', async () => {
  const clock = new FakeClock()
  const beside = async () => 'asked'
  const { alone } = trials(async () => 'done alone')
  expect(await ended(clock, besideOrAlone(makeStore(), { beside, alone }, clock))).toBe(
    'done alone',
  )
  const silent = trials(async () => undefined)
  const waiting = besideOrAlone(makeStore(), { beside, alone: silent.alone }, clock)
  await expect(ended(clock, waiting)).rejects.toBe(locked)
  expect(silent.count()).toBeGreaterThan(10)
})

test('reports any other fault at once', async () => {
  const fault = new Error('no disk')
  const work = { beside: async () => 'asked', alone: () => Promise.reject(fault) }
  await expect(besideOrAlone(makeStore(), work)).rejects.toBe(fault)
})
