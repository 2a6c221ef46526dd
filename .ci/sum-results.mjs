import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Usage: sum-results.mjs STATUS FOLDER
// Prints "N passed, N failed" from the files of vitest's JSON reporter in FOLDER. STATUS is the exit code of the run.
const [status, folder] = process.argv.slice(2)
let passed = 0
let failed = 0
for (const name of readdirSync(folder)) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  passed += numPassedTests
  failed += numFailedTests
  // A file can fail without a failed test in it: it does not load, or it leaves something running.
  failed += testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
}
// A step that failed before or beside the tests (installation, types, style) must not look like "0 failed".
if (status !== '0' && failed === 0) failed = 1
process.stdout.write(`${passed} passed, ${failed} failed\n`)
