import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'
import { seedOfCommit } from '../rig/commit-seed.ts'
import { days, runSim } from './days-run.ts'

const patch = fileURLToPath(new URL('patches/bad-ticket-kept.patch', import.meta.url))

tmp.setGracefulCleanup()

test('a planted fault is found, so the days can fail', async () => {
  // Which day meets the fault changes with every call that the program makes, so no day is named.
  for (let first = 1; first < 200; first += 10) {
    const red = tmp.dirSync({ unsafeCleanup: true }).name
    const some = ['--seed', String(first), '--seeds', '10', '--jobs', '2']
    const { lines } = await runSim(...some, '--no-shrink', '--red', red, '--patch', patch)
    const found = Number(/^10 seeds, (\d+) red, /.exec(lines.at(-1) ?? '')?.[1])
    expect(found).toBeGreaterThanOrEqual(0)
    if (found > 0) return
  }
  expect.fail('200 random days found no planted fault')
}, 600_000)

test('days that failed once end the same when they are played twice', async () => {
  const { status, lines } = await runSim(
    '--twice',
    '--no-shrink',
    ...days.flatMap((day) => ['--day', day]),
  )
  expect(lines.at(-1)).toMatch(new RegExp(`^${days.length} seeds, 0 red, [\\d.]+ s$`))
  expect(status).toBe(0)
}, 300_000)

test('three hundred random days, others for each commit', async () => {
  const seed = seedOfCommit()
  const { status, lines } = await runSim(
    '--seed',
    String(seed),
    '--seeds',
    '300',
    '--jobs',
    '2',
    '--table',
  )
  // The log shows which fault met which state.
  console.log([`first seed ${seed}`, ...lines].join('\n'))
  expect(lines.at(-1)).toMatch(/^300 seeds, 0 red, [\d.]+ s$/)
  expect(status).toBe(0)
}, 1_800_000)
