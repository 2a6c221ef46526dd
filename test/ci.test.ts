import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'

tmp.setGracefulCleanup()
const script = fileURLToPath(new URL('../.ci/sum-results.mjs', import.meta.url))

const passed = { status: 'passed' }
const failed = { status: 'failed' }
const green = { numPassedTests: 3, numFailedTests: 0, testResults: [{ status: 'passed', assertionResults: [passed] }] }
const red = {
  numPassedTests: 2,
  numFailedTests: 1,
  testResults: [{ status: 'failed', assertionResults: [passed, failed] }],
}
const broken_file = {
  numPassedTests: 1,
  numFailedTests: 0,
  testResults: [{ status: 'failed', assertionResults: [passed] }],
}

test.each([
  ['all green', 0, [green, green], '6 passed, 0 failed'],
  ['a failed test', 1, [green, red], '5 passed, 1 failed'],
  ['a file that fails beside its tests', 1, [green, broken_file], '4 passed, 1 failed'],
  ['a step that fails after green tests', 1, [green], '3 passed, 1 failed'],
  ['a step that fails before any test', 2, [], '0 passed, 1 failed'],
])('the counts of %s', (_what, status, results, line) => {
  const folder = tmp.dirSync({ unsafeCleanup: true }).name
  for (const [at, result] of results.entries()) writeFileSync(join(folder, `${at}.json`), JSON.stringify(result))
  expect(execFileSync(process.execPath, [script, String(status), folder], { encoding: 'utf8' })).toBe(`${line}\n`)
})
