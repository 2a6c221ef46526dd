import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'

/** A file system in memory, and far more than the stores of all tests take. */
const memory = { path: '/dev/shm', tmpfs_type: 0x01021994, least_free_bytes: 4e9 }

/**
 * Worker threads and child processes start from dist/, so the tests build it first. tsc writes it in spite of type errors,
 * and those are the business of `npm test`, which fails on them before it comes here: one test at a time can be run meanwhile.
 */
export function setup(): (() => void) | undefined {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  if (status !== 0) console.warn('the build has errors: threads and processes run what tsc made nevertheless')
  return hasRoomInMemory() ? placeForStores() : undefined
}

/** One for the whole run, removed with all that is in it: workers that are killed clean nothing up. */
function placeForStores(): () => void {
  const place = mkdtempSync(`${memory.path}/sluice-tests-`)
  // Some tests look into it as nobody.
  chmodSync(place, 0o755)
  process.env.SLUICE_TEST_STORES = place
  return () => rmSync(place, { recursive: true, force: true })
}

function hasRoomInMemory(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(memory.path)
    return type === memory.tmpfs_type && bavail * bsize >= memory.least_free_bytes
  } catch {
    return false
  }
}
