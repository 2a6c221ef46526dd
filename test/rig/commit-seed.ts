import { spawnSync } from 'node:child_process'
import fc from 'fast-check'

/**
 * What a test draws by chance is drawn by the commit: each commit tries other cases, and the same commit the same ones, so that
 * a red test is red again. SLUICE_TEST_SEED draws others, and names the commit where there is no .git. Loaded before every file.
 */
export function seedOfCommit(): number {
  const said = process.env.SLUICE_TEST_SEED ?? spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout
  return Number.parseInt((said ?? '').slice(0, 7), 16) || 1
}

fc.configureGlobal({ seed: seedOfCommit() })
