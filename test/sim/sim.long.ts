import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'
import { seedOfCommit } from '../rig/commit-seed.ts'
import { days, runSim } from './days-run.ts'

const patch = fileURLToPath(new URL('patches/bad-ticket-kept.patch', import.meta.url))

tmp.setGracefulCleanup()

test('a planted fault is found, so the days can fail', async () => {
  const { lines } = await runSim(
    '--seed',
    '22',
    '--seeds',
    '1',
    '--no-shrink',
    '--red',
    tmp.dirSync({ unsafeCleanup: true }).name,
    '--patch',
    patch,
  )
  expect(lines.at(-1)).toMatch(/^1 seed, 1 red, [\d.]+ s$/)
}, 300_000)

test('days that failed once end the same when they are played twice', async () => {
  const { status, lines } = await runSim('--twice', '--no-shrink', ...days.flatMap((day) => ['--day', day]))
  expect(lines.at(-1)).toMatch(new RegExp(`^${days.length} seeds, 0 red, [\\d.]+ s$`))
  expect(status).toBe(0)
}, 300_000)

test('three hundred random days, others for each commit', async () => {
  const seed = seedOfCommit()
  const { status, lines } = await runSim('--seed', String(seed), '--seeds', '300', '--jobs', '2', '--table')
  // The log shows which fault met which state.
  console.log([`first seed ${seed}`, ...lines].join('\n'))
  expect(lines.at(-1)).toMatch(/^300 seeds, 0 red, [\d.]+ s$/)
  expect(status).toBe(0)
}, 1_800_000)
