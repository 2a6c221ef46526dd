import { expect, onTestFinished, test } from 'vitest'
import { passState } from '../../../src/cli/text/pass-meter.ts'
import { showProgress } from '../../../src/cli/text/progress.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { within } from '../../rig/waiting.ts'
import { begin, localJourneys } from '../rig/harness.ts'

const small = (count: number, from: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`docs/${from}${at}.txt`, `${from} ${at}`]),
  )
const large = (count: number, from: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `docs/${from}${at}.txt`,
      `${from} ${at} ${'x'.repeat(2_000_000)}`,
    ]),
  )

/** The seconds of a text such as "1 min 4 s". */
function secondsIn(text: string): number {
  const units: Record<string, number> = { s: 1, min: 60, h: 3_600 }
  const parts = [...text.matchAll(/([\d.]+) (s|min|h)/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0)
}

localJourneys('the time left at a throttled service', (profile) => {
  const cases: [string, Record<string, string>, number][] = [
    ['small files', small(150, 'a'), 1],
    ['small files, then large ones', { ...small(200, 'a'), ...large(8, 'b') }, 0],
  ]
  // A moving clock takes a busy machine for a slow service: nothing else may run beside it.
  test.each(cases)('%s: each figure is right within a factor of 3', async (_, tree, min_shown) => {
    const clock = new MovingClock({ times: 10 })
    const service = { clock, injected_faults: { latency_ms: 400 } }
    const uploads = { bandwidth: '800kB/s', concurrency: 4 }
    const journey = await begin(
      { profile, tree, service, clock, mode: 'once', config: { uploads } },
      'not started',
    )
    const began_ms = clock.now_ms()
    await journey.start()
    const view = openLedgerView(journey.config().state_dir)
    onTestFinished(() => view.close())
    const shown: { at_ms: number; left_ms: number }[] = []
    const write = (text: string) => {
      const left = /about (.*) left/.exec(text)?.[1]
      if (left) shown.push({ at_ms: clock.now_ms(), left_ms: secondsIn(left) * 1_000 })
    }
    const terminal = createTerminal({ stdout: { write }, stderr: { write }, no_color: true })
    const read = () => passState(view.folders(), began_ms, journey.daemon.movedBytes())
    const progress = showProgress({ terminal, clock, read })
    await within('the pass', journey.daemon.drained)
    const ended_ms = clock.now_ms()
    await progress.end()

    const wrong = shown.filter(({ at_ms, left_ms }) => {
      const ratio = left_ms / (ended_ms - at_ms)
      return ratio > 3 || ratio < 1 / 3
    })
    expect({ wrong, took_ms: ended_ms - began_ms }).toMatchObject({ wrong: [] })
    expect(shown.length, `after ${ended_ms - began_ms} ms`).toBeGreaterThanOrEqual(min_shown)
  })
})
