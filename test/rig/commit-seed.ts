import { spawnSync } from 'node:child_process'
import fc from 'fast-check'

/**
 * Seed of the random cases, taken from the commit: each commit tries other cases, and a red test of
 * a commit stays red. SLUICE_TEST_SEED sets another seed, and replaces the commit where there is no
 * .git. Loaded before every file.
 */
export function seedOfCommit(): number {
  const said =
    process.env.SLUICE_TEST_SEED ??
    spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout
  return Number.parseInt((said ?? '').slice(0, 7), 16) || 1
}

fc.configureGlobal({ seed: seedOfCommit() })
