import type { Examiner } from '../../disk/read/examiner.ts'
import { parentOf } from '../../disk/scan/directory-names.ts'
import type { Hint } from '../../disk/watch/watch.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { type ScanTools, scanOnce } from './scan-folder.ts'
import { rangeBelow } from './walk-comparison.ts'

export interface HintLimits {
  /** Above this number the whole folder is scanned instead. */
  max_hints: number
  /** From this number on in one directory, that directory is scanned instead; never the root. */
  directory_hints: number
}

/** Collects hints, each once. Many in one place become a scan of it, so memory stays bounded. */
export function createHintQueue(limits: HintLimits) {
  const by_directory = new Map<string, Set<string>>()
  const directories = new Set<string>()
  let path_count = 0

  /** Drops all hints, because a scan of the folder covers them. */
  function clear(): void {
    by_directory.clear()
    directories.clear()
    path_count = 0
  }

  function addPath(path: string): void {
    const directory = parentOf(path)
    const paths = by_directory.get(directory) ?? new Set<string>()
    by_directory.set(directory, paths)
    const before = paths.size
    paths.add(path)
    path_count += paths.size - before
    // A scan of the root would include its other directories, which are not concerned.
    if (paths.size < limits.directory_hints || directory === '') return
    by_directory.delete(directory)
    path_count -= paths.size
    directories.add(directory)
  }

  return {
    /** False if there are too many: all are dropped, and the caller must scan. */
    add(hint: Extract<Hint, { path: string }>): boolean {
      if (hint.kind === 'directory') directories.add(hint.path)
      else if (!directories.has(parentOf(hint.path))) addPath(hint.path)
      if (path_count + directories.size <= limits.max_hints) return true
      clear()
      return false
    },
    take(max: number) {
      const whole = outermost([...directories])
      directories.clear()
      const paths: string[] = []
      for (const [directory, names] of by_directory) {
        for (const path of names) {
          if (paths.length >= max) return { paths, directories: whole }
          paths.push(path)
          names.delete(path)
          path_count -= 1
        }
        by_directory.delete(directory)
      }
      return { paths, directories: whole }
    },
    isEmpty: () => path_count === 0 && directories.size === 0,
  }
}

/** Leaves out directories below others: a scan covers all below, and they follow in this order. */
function outermost(directories: string[]): string[] {
  const kept: string[] = []
  for (const directory of directories.map((path) => `${path}/`).sort()) {
    const last = kept.at(-1)
    if (last === undefined || !directory.startsWith(last)) kept.push(directory)
  }
  return kept.map((directory) => directory.slice(0, -1))
}

/**
 * Checks the paths of hints: files one by one, directories with everything below. If a directory no
 * longer exists, it checks the ledger's files below it. Returns `doubtful` if only a scan of the
 * whole folder can decide.
 */
export async function followHints(
  folder: FolderSettings,
  tools: ScanTools & { examiner: Pick<Examiner, 'lstat'> },
  hints: { paths: readonly string[]; directories: readonly string[] },
  signal: AbortSignal,
): Promise<'recorded' | 'doubtful'> {
  const { examiner, intake, ledger } = tools
  const paths = [...hints.paths]
  const entries =
    hints.directories.length === 0 ? [] : await examiner.lstat(folder.path, hints.directories)
  let is_doubtful = false
  for (const [index, directory] of hints.directories.entries()) {
    if (entries[index]?.kind === 'directory') {
      const { kind } = await scanOnce(folder, tools, { under: directory, signal })
      if (kind !== 'finished') is_doubtful = true
      continue
    }
    const below = await ledger.differences(rangeBelow(folder.name, directory))
    paths.push(directory, ...below.missing)
    if (below.missing_total > below.missing.length) is_doubtful = true
  }
  const answer = await intake.checkPaths(folder.name, paths)
  return is_doubtful ? 'doubtful' : answer
}
