import { type Clock, isoTime } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Examiner } from '../disk/examiner.ts'
import type { LedgerView } from '../ledger/view.ts'
import type { Remote } from '../remote/remote.ts'
import {
  type Difference,
  type DifferenceKind,
  difference_kinds,
  type FolderComparison,
  type ProjectComparison,
  type VerifySummary,
  verify_version,
} from './verify-answer.ts'
import { compareFolder } from './verify-disk.ts'
import { checkLedgerFiles } from './verify-ledger.ts'
import { compareProject } from './verify-service.ts'

export interface VerifyOptions {
  config: Config
  view: LedgerView
  remote: Remote
  examiner: Examiner
  clock: Clock
  /** Reads every file that is known, and compares its bytes. */
  full: boolean
  /** Names of folders of the config; without them all, and everything that was ever sent to their projects. */
  folders?: readonly string[]
  signal: AbortSignal
  onDifference: (difference: Difference) => void
  onProgress?: (progress: VerifyProgress) => void
}

/** What was looked at so far. */
interface VerifyProgress {
  files: number
  assets: number
}

/**
 * Checks the ledger itself, then holds it against the disk and against the service, at once and in
 * bounded memory, and changes nothing. A ledger that cannot be read is compared with nothing. Each
 * difference of the others is looked at twice before it is told, and an asset is missing only when
 * the service says so about it alone. What offline folders and a service that does not answer keep
 * from being compared stands in the summary. Errors: `database.*`.
 */
export async function verify(options: VerifyOptions): Promise<VerifySummary> {
  const { config, view, clock, full, signal } = options
  const names = options.folders ?? config.folders.map(({ name }) => name)
  const chosen = config.folders.filter(({ name }) => names.includes(name))
  const differences = Object.fromEntries(difference_kinds.map((kind) => [kind, 0])) as Record<DifferenceKind, number>
  const progress = { files: 0, assets: 0 }
  const move = ({ files, assets }: VerifyProgress) => {
    progress.files += files
    progress.assets += assets
    options.onProgress?.({ ...progress })
  }
  const onDifference = (difference: Difference) => {
    differences[difference.kind] += 1
    options.onDifference(difference)
  }
  const of_all = { version: verify_version, at: isoTime(clock.now_ms()), full, differences } as const
  if (!(await checkLedgerFiles(config.state_dir, { signal, onDifference }))) {
    return { ...of_all, folders: [], projects: [], ...nothing_known, complete: false }
  }
  const tools = {
    ...options,
    comparison: view.comparison(),
    onDifference,
    onFile: (files: number) => move({ files, assets: 0 }),
    onAsset: (assets: number) => move({ files: 0, assets }),
  }
  const folders: FolderComparison[] = []
  let settling = 0
  for (const folder of chosen) {
    const compared = await compareFolder(folder, tools)
    folders.push(compared.comparison)
    settling += compared.on_the_way
  }
  const projects: ProjectComparison[] = []
  const only = chosen.length === config.folders.length ? undefined : names
  for (const project_id of new Set(chosen.map(({ project_id }) => project_id))) {
    projects.push(await compareProject(project_id, only, tools))
  }
  const others = projects.reduce((sum, { unknown }) => sum + unknown, 0)
  return {
    ...of_all,
    folders,
    projects,
    differences: { ...differences, unknown_on_service: others },
    ...standing(view, names, settling),
    complete:
      !signal.aborted &&
      folders.every((folder) => folder.complete && folder.offline === null) &&
      projects.every(({ fault, unanswered }) => fault === null && unanswered === 0),
  }
}

/** What stands in a ledger that cannot be read. */
const nothing_known = { on_the_way: 0, standing: { refused: 0, blocked: 0, removed_on_service: 0 } }

/** By the sums that the ledger keeps; `settling` are those that it does not know of yet. */
function standing(
  view: LedgerView,
  names: readonly string[],
  settling: number,
): Pick<VerifySummary, 'on_the_way' | 'standing'> {
  const sums = { on_the_way: settling, refused: 0, blocked: 0, removed_on_service: 0 }
  for (const { name, stages } of view.folders()) {
    if (!names.includes(name)) continue
    const { settling, waiting, sending, ingesting, refused, blocked, removed_on_service } = stages
    sums.on_the_way += settling.files + waiting.files + sending.files + ingesting.files
    sums.refused += refused.files
    sums.blocked += blocked.files
    sums.removed_on_service += removed_on_service.files
  }
  const { on_the_way, ...rest } = sums
  return { on_the_way, standing: rest }
}
