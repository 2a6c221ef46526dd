import type { Examiner } from '../disk/examiner.ts'
import type { FolderSettings } from './folder-settings.ts'
import { type ScanTools, scanOnce } from './scan-folder.ts'

const nothing = { names: new Uint8Array(), ends: new Uint32Array(), stats: new BigInt64Array() }
/** Sorts after every path below a directory. */
const after_all = '\u{10FFFF}'

/**
 * Looks at what hints name: paths one by one, directories with all below. Where a directory is none any more, what the ledger has
 * below it is looked at. Answers `doubtful` when only a scan of the whole folder can tell.
 */
export async function followHints(
  folder: FolderSettings,
  tools: ScanTools & { examiner: Pick<Examiner, 'lstat'> },
  hints: { paths: readonly string[]; directories: readonly string[] },
  signal: AbortSignal,
): Promise<'recorded' | 'doubtful'> {
  const { examiner, intake, ledger } = tools
  const paths = [...hints.paths]
  const looks = hints.directories.length === 0 ? [] : await examiner.lstat(folder.path, hints.directories)
  let is_doubtful = false
  for (const [index, directory] of hints.directories.entries()) {
    if (looks[index]?.kind === 'directory') {
      const { kind } = await scanOnce(folder, tools, { under: directory, signal })
      if (kind !== 'finished') is_doubtful = true
      continue
    }
    const [after_path, through_path] = [`${directory}/`, `${directory}/${after_all}`]
    const below = await ledger.differences({ folder: folder.name, after_path, through_path, ...nothing })
    paths.push(directory, ...below.missing)
    if (below.missing_total > below.missing.length) is_doubtful = true
  }
  const looked = await intake.lookAt(folder.name, paths)
  return is_doubtful ? 'doubtful' : looked
}
