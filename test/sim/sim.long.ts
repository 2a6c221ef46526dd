import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runSim } from './days-run.ts'

/** Every commit tries other days; a log names the seed of each red one. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return Number.parseInt(stdout.slice(0, 7) || '1', 16)
}

test('three hundred random days, other ones for each commit', async () => {
  const seed = seedOfCommit()
  const { status, lines } = await runSim('--seed', String(seed), '--seeds', '300', '--jobs', '2', '--table')
  // For who reads the log: which fault met which state.
  console.log([`first seed ${seed}`, ...lines].join('\n'))
  expect(lines.at(-1)).toMatch(/^300 seeds, 0 red, [\d.]+ s$/)
  expect(status).toBe(0)
}, 1_800_000)
