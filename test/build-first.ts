import { spawnSync } from 'node:child_process'

/**
 * Worker threads and child processes start from dist/, so the tests build it first. tsc writes it in spite of type errors,
 * and those are the business of `npm test`, which fails on them before it comes here: one test at a time can be run meanwhile.
 */
export function setup(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  if (status !== 0) console.warn('the build has errors: threads and processes run what tsc made nevertheless')
}
