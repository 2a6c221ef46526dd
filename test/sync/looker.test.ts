import { expect, onTestFinished, test } from 'vitest'
import type { Intake } from '../../src/sync/intake.ts'
import { startLooker } from '../../src/sync/looker.ts'
import type { SyncReport } from '../../src/sync/report.ts'
import { openRig, stat } from '../ledger/view-rig.ts'
import { no_found_files } from './no-found-files.ts'

type Answer = () => Promise<'recorded' | 'doubtful'>

/** When a file that is due was looked at, with these answers one after the other; then they are as the last. */
async function lookedAt(answers: readonly Answer[]): Promise<number[]> {
  const rig = await openRig()
  const { clock, ledger } = rig
  const began_ms = clock.now_ms()
  await rig.record({ type: 'file_seen', folder: 'notes', path: 'a', stat: stat(), not_before_ms: began_ms })
  const looks: number[] = []
  const intake: Intake = {
    async lookAt() {
      const answer = answers[Math.min(looks.length, answers.length - 1)]!
      looks.push(clock.now_ms() - began_ms)
      return answer()
    },
    beginScan: async () => no_found_files,
    inFlight: () => 0,
  }
  const stop = new AbortController()
  const report = new Proxy({}, { get: () => () => {} }) as SyncReport
  const looker = startLooker({ ledger, intake, clock, report }, stop.signal)
  onTestFinished(() => stop.abort())
  await clock.runUntil(() => looks.length === 3)
  stop.abort()
  await looker.ended
  return looks
}

test('a look that failed is repeated soon, and not after the time of its claim', async () => {
  const looks = await lookedAt([() => Promise.reject(new Error('the disk'))])
  expect(looks[2]).toBeLessThan(10_000)
})

test('a look into a folder that is in doubt is repeated, with rests between', async () => {
  const [, second, third] = await lookedAt([async () => 'doubtful'])
  expect(second).toBeGreaterThanOrEqual(1_000)
  expect(third! - second!).toBeGreaterThanOrEqual(1_000)
  expect(third).toBeLessThan(60_000)
})
