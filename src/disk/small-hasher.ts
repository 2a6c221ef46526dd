import { closeSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'
import { createManyMd5s, type TellMd5 } from './md5-lanes.ts'
import { createDirectories, fill, hasStat, openToRead, statOpen } from './read-file.ts'
import { putStat } from './scan-batch.ts'

/** Which files a walk reads in the same go as it looks at them. */
export interface HashRule {
  /** Neither their bytes nor their inode changed since, Unix ns: what is younger may still be written to. */
  quiet_before_ns: bigint
  /** Larger ones are left to threads that give way to small ones. */
  most_bytes: number
}

/**
 * Looks at a file and reads it at once: open, fstat, read, fstat, close, where lstat first and reading later takes an lstat more, and
 * a message there and back. Made for folders that nobody has looked into yet.
 */
export interface SmallHasher {
  /** Puts the stat at `index`, and the md5 is told with this number, now or later. False: it is not for us, and nothing is said about it. */
  hash(path: string, stats: BigInt64Array, index: number): boolean
  /** Between two batches: all that were hashed are told, and no directory is held open. */
  rest(): void
}

export function createSmallHasher(root: string, rule: HashRule, tell: TellMd5): SmallHasher {
  const directories = createDirectories(root)
  const md5s = createManyMd5s(rule.most_bytes, tell)

  function hashOpen(descriptor: number, stats: BigInt64Array, index: number): boolean {
    const stat = statOpen(descriptor)
    if (!stat.isFile() || !isForUs(stat, rule)) return false
    putStat(stats, index, stat)
    const size = Number(stat.size)
    const is_whole = fill(descriptor, md5s.room().subarray(0, size))
    if (!is_whole || !hasStat(statOpen(descriptor), stats, index)) return false
    md5s.add(size, index)
    return true
  }

  return {
    hash(path, stats, index) {
      const { directory, name } = directories.of(path)
      if (directory.kind !== 'open') return false
      let descriptor: number | undefined
      try {
        descriptor = openToRead(directory.prefix + name)
        return hashOpen(descriptor, stats, index)
      } catch (error) {
        // Whoever looks at it next says why: it is locked, a link, gone.
        if (codeOf(error) === undefined) throw error
        return false
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    },
    rest() {
      md5s.finish()
      directories.close()
    },
  }
}

function isForUs(
  { size, mtimeNs, ctimeNs }: { size: bigint; mtimeNs: bigint; ctimeNs: bigint },
  { quiet_before_ns, most_bytes }: HashRule,
): boolean {
  return size > 0n && size <= most_bytes && mtimeNs <= quiet_before_ns && ctimeNs <= quiet_before_ns
}
