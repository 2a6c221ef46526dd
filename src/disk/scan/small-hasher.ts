import { closeSync } from 'node:fs'
import { codeOf } from '../../base/run/errors.ts'
import type { FileStat } from '../../domain/file.ts'
import { createDirectories, hashSmall, hasStat, max_small_bytes, openToRead, statOpen } from './read-file.ts'
import { putStat } from './scan-batch.ts'

/** Selects the files that a scan hashes as it checks them. */
export interface HashRule {
  /** Unix ns; a file whose bytes or inode changed later may still be written to. */
  quiet_before_ns: bigint
  /** Larger files are left to the examiner, which puts small files first. */
  most_bytes: number
}

export type SmallHasher = ReturnType<typeof createSmallHasher>

/**
 * Checks and hashes a file in one go: open, fstat, read, fstat, close. Separate steps would cost
 * one more lstat, and a message to another thread and back. For folders that were never scanned.
 */
export function createSmallHasher(root: string, rule: HashRule) {
  const directories = createDirectories(root)

  function hashOpen(descriptor: number, stats: BigInt64Array, index: number): string | undefined {
    const stat = statOpen(descriptor)
    if (!stat || !isForUs(stat, rule)) return undefined
    putStat(stats, index, stat)
    const md5 = hashSmall(descriptor, stat.size)
    return hasStat(descriptor, stat) ? md5 : undefined
  }

  return {
    /** The md5, with the stat put at `index`; undefined: not hashed, and `stats` is not valid. */
    hash(path: string, stats: BigInt64Array, index: number): string | undefined {
      const { directory, name } = directories.of(path)
      if (directory.kind !== 'open') return undefined
      let descriptor: number | undefined
      try {
        descriptor = openToRead(directory.prefix + name)
        return hashOpen(descriptor, stats, index)
      } catch (error) {
        // The next check reports the reason: the file is locked, a link, or gone.
        if (codeOf(error) === undefined) throw error
        return undefined
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    },
    /** Closes the directory that is kept open. Called between two batches. */
    rest: directories.close,
  }
}

function isForUs({ size, mtime_ns, ctime_ns }: FileStat, { quiet_before_ns, most_bytes }: HashRule): boolean {
  const is_small = size > 0 && size <= Math.min(most_bytes, max_small_bytes)
  return is_small && mtime_ns <= quiet_before_ns && ctime_ns <= quiet_before_ns
}
