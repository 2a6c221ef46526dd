import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** A file system in memory, with far more space than the stores of all tests take. */
const memory = { path: '/dev/shm', tmpfs_type: 0x01021994, min_free_bytes: 4e9 }

/**
 * Builds dist/ first: threads and child processes start from it. The build does not check types,
 * which takes five times as long; `npm test` runs `check:types` for that.
 */
export function setup(): () => void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build:unchecked'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('tsc could not write dist/')
  const trees = placeIn(tmpdir())
  process.env.TMPDIR = trees
  if (!hasRoomInMemory()) return () => remove(trees)
  const stores = placeIn(memory.path)
  process.env.SLUICE_TEST_STORES = stores
  return () => {
    remove(stores)
    remove(trees)
  }
}

/**
 * One directory for the whole run, removed at the end with all its content: killed workers and
 * processes clean up nothing. Its name is short because paths of sockets are limited.
 */
function placeIn(directory: string): string {
  const place = mkdtempSync(`${directory}/sluice-`)
  // A process of another user must be able to read it.
  chmodSync(place, 0o755)
  return place
}

/** Removes a place. Directories that a test made unreadable are no reason to fail the run. */
function remove(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true })
  } catch (error) {
    console.warn(`${place} is left behind: ${(error as Error).message}`)
  }
}

function hasRoomInMemory(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(memory.path)
    return type === memory.tmpfs_type && bavail * bsize >= memory.min_free_bytes
  } catch {
    return false
  }
}
