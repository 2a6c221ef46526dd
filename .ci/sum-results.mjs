import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Usage: sum-results.mjs STATUS FOLDER
// Reads the files of vitest's JSON reporter in FOLDER. Prints the time of each part with its
// slowest files, then "N passed, N failed". STATUS is the exit code of the run.
const [status, folder] = process.argv.slice(2)
const max_files = 12
let passed = 0
let failed = 0
for (const name of readdirSync(folder)) {
  const { numPassedTests, numFailedTests, testResults, startTime } = JSON.parse(
    readFileSync(join(folder, name), 'utf8'),
  )
  passed += numPassedTests
  failed += numFailedTests
  // A file can fail without a failed test in it: it does not load, or it leaves something running.
  failed += testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  printTimes(name.replace(/\.json$/, ''), testResults, startTime)
}
// A step that failed before or beside the tests (installation, types, style) must not look like "0
// failed".
if (status !== '0' && failed === 0) failed = 1
process.stdout.write(`${passed} passed, ${failed} failed\n`)

/** Files run side by side: the sum of their times exceeds the time of the part. */
function printTimes(part, files, start_ms) {
  const seconds = (ms) => `${Math.round(ms / 1_000)} s`.padStart(7)
  const end_ms = Math.max(start_ms, ...files.map((file) => file.endTime))
  process.stdout.write(
    `${part}: ${seconds(end_ms - start_ms).trim()}, ${files.length} files, the slowest:\n`,
  )
  const slowest = files
    .sort((a, b) => b.endTime - b.startTime - (a.endTime - a.startTime))
    .slice(0, max_files)
  for (const file of slowest) {
    process.stdout.write(
      `${seconds(file.endTime - file.startTime)}  ${file.name.replace(/^.*\/test\//, 'test/')}\n`,
    )
  }
}
