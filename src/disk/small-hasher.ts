import { hash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'
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
  /** Puts the stat at `index`, and answers the md5 in hex. Undefined: it is not for us, and nothing is said about it. */
  hash(path: string, stats: BigInt64Array, index: number): string | undefined
  /** Between two batches: no directory is held open. */
  rest(): void
}

export function createSmallHasher(root: string, rule: HashRule): SmallHasher {
  const directories = createDirectories(root)
  const room = new Uint8Array(rule.most_bytes)

  function hashOpen(descriptor: number, stats: BigInt64Array, index: number): string | undefined {
    const stat = statOpen(descriptor)
    if (!stat.isFile() || !isForUs(stat, rule)) return undefined
    putStat(stats, index, stat)
    const content = room.subarray(0, Number(stat.size))
    const is_whole = fill(descriptor, content)
    return is_whole && hasStat(statOpen(descriptor), stats, index) ? hash('md5', content, 'hex') : undefined
  }

  return {
    hash(path, stats, index) {
      const { directory, name } = directories.of(path)
      if (directory.kind !== 'open') return undefined
      let descriptor: number | undefined
      try {
        descriptor = openToRead(directory.prefix + name)
        return hashOpen(descriptor, stats, index)
      } catch (error) {
        // Whoever looks at it next says why: it is locked, a link, gone.
        if (codeOf(error) === undefined) throw error
        return undefined
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    },
    rest: () => directories.close(),
  }
}

function isForUs(
  { size, mtimeNs, ctimeNs }: { size: bigint; mtimeNs: bigint; ctimeNs: bigint },
  { quiet_before_ns, most_bytes }: HashRule,
): boolean {
  return size > 0n && size <= most_bytes && mtimeNs <= quiet_before_ns && ctimeNs <= quiet_before_ns
}
