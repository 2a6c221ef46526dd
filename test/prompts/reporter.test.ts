import { expect, test } from 'vitest'
import { startReporter } from '../../src/prompts/reporter.ts'
import { until } from '../rig/waiting.ts'
import { openRunRig, type RunRig } from './ask/answer-run-rig.ts'

/** Starts a reporter that the ledger wakes, as in the daemon. */
function start(rig: RunRig) {
  const reporter = startReporter(rig.tools())
  rig.ledger.onWork((kinds) => {
    if (kinds.has('run')) reporter.worker.wake()
  })
  const end = async () => {
    rig.soft.abort()
    await Promise.all([reporter.worker.ended, reporter.drained()])
  }
  return { reporter, end }
}

const count = (rig: RunRig, what: string) =>
  rig.reported.filter((line) => line.startsWith(what)).length

test('a run goes from the due time to its report without help', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  const { end } = start(rig)
  await rig.due()
  await until('the report', () => count(rig, 'written') === 1)
  await end()
  expect(rig.starts()).toBe(1)
})

test('a long answer of one prompt delays no other prompt', async () => {
  const rig = await openRunRig({ service: { answer_delay_ms: 400 } })
  rig.addPrompt('other')
  await rig.reopen()
  await rig.bringIn('a.md')
  const { reporter, end } = start(rig)
  await rig.due('digest')
  await rig.due('other')
  // Between two steps no worker holds the run for a moment.
  await until(
    'both wait for their answers',
    () => count(rig, 'asked') === 2 && reporter.inFlight() === 2,
  )
  expect(count(rig, 'answered')).toBe(0)
  await until('both are written', () => count(rig, 'written') === 2)
  await end()
})

test('a stop ends its waits at once; the next reporter adopts the asked question', async () => {
  const rig = await openRunRig({ service: { answer_delay_ms: 600 } })
  await rig.bringIn('a.md')
  const { end } = start(rig)
  await rig.due()
  await until('it is asked', () => count(rig, 'asked') === 1)
  await end()
  expect(count(rig, 'answered')).toBe(0)
  rig.soft = new AbortController()
  await rig.reopen()
  await rig.run()
  expect([rig.starts(), count(rig, 'written')]).toEqual([1, 1])
})

test('a run with an invalid template is deferred, and delays no other run', async () => {
  const rig = await openRunRig()
  rig.addPrompt('broken', { prompt: '{{no_such_name}}' })
  await rig.reopen()
  await rig.bringIn('a.md')
  const { end } = start(rig)
  await rig.due('broken')
  await rig.due('digest')
  await until('the other is written', () => count(rig, 'written') === 1)
  await end()
  expect(rig.reported.some((line) => line.includes('no_such_name'))).toBe(true)
})

test('while the account is refused no run begins; with a valid token runs continue by themselves', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  const right = rig.token
  rig.token = `${right.slice(0, -4)}xxxx`
  const { end } = start(rig)
  await rig.due()
  await until('the account is refused', () => rig.circuits.tripped().length > 0)
  rig.token = right
  await until('the report', () => count(rig, 'written') === 1)
  await end()
  expect(rig.chats()).toHaveLength(1)
})
