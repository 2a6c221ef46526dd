import { isoTime } from '../../base/time/time.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import {
  type Difference,
  type DifferenceKind,
  difference_kinds,
  type VerifyOptions,
} from './verify-answer.ts'
import { compareFolder } from './verify-disk.ts'
import { checkLedgerFiles } from './verify-ledger.ts'
import { compareProject } from './verify-service.ts'

/**
 * Checks the ledger itself, then compares it with the disk and the service, in bounded memory.
 * Changes nothing. An unreadable ledger is not compared. Unknown, changed and missing files and
 * missing labels are checked twice before they are reported. An asset is missing only if the
 * service says so for that asset. The summary names offline folders and projects without an answer.
 * Errors: `database.*`.
 */
export async function verify(options: VerifyOptions) {
  const { config, view, clock, full, signal } = options
  const names = options.folders ?? config.folders.map(({ name }) => name)
  const chosen = config.folders.filter(({ name }) => names.includes(name))
  const only = chosen.length === config.folders.length ? undefined : names
  const differences = Object.fromEntries(difference_kinds.map((kind) => [kind, 0])) as Record<
    DifferenceKind,
    number
  >
  const progress = { files: 0, assets: 0 }
  const move = (what: keyof typeof progress) => (count: number) => {
    progress[what] += count
    options.onProgress?.({ ...progress })
  }
  const onDifference = (difference: Difference) => {
    differences[difference.kind] += 1
    options.onDifference(difference)
  }
  const at = isoTime(clock.now_ms())
  const is_readable = await checkLedgerFiles(config.state_dir, { signal, onDifference })
  const folders: FolderComparison[] = []
  const projects: ProjectComparison[] = []
  let settling = 0
  if (is_readable) {
    const moves = { onFile: move('files'), onAsset: move('assets') }
    const tools = { ...options, ...moves, onDifference, comparison: view.comparison() }
    for (const folder of chosen) {
      const { on_the_way, ...comparison } = await compareFolder(folder, tools)
      folders.push(comparison)
      settling += on_the_way
    }
    for (const project_id of new Set(chosen.map(({ project_id }) => project_id))) {
      projects.push(await compareProject(project_id, only, tools))
    }
  }
  differences.unknown_on_service = projects.reduce((sum, { unknown }) => sum + unknown, 0)
  return {
    at,
    /** The bytes of the files were read. */
    full,
    /** Number of differences by kind. */
    differences,
    folders,
    projects,
    ...(is_readable ? standing(view, names, settling) : nothing_known),
    /** Compared assets of deleted files and old versions; some folders alone have none of these. */
    outdated: is_readable && only === undefined ? view.removals().outdated.files : 0,
    /** All requested folders and projects were compared. */
    complete:
      is_readable &&
      !signal.aborted &&
      folders.every((folder) => folder.complete && folder.offline === null) &&
      projects.every(({ fault, unanswered }) => fault === null && unanswered === 0),
  }
}

export type VerifySummary = Awaited<ReturnType<typeof verify>>

type FolderComparison = Omit<Awaited<ReturnType<typeof compareFolder>>, 'on_the_way'>
type ProjectComparison = Awaited<ReturnType<typeof compareProject>>

/** Values for an unreadable ledger. */
const nothing_known = {
  ready: 0,
  on_the_way: 0,
  standing: { refused: 0, blocked: 0, removed_on_service: 0 },
}

/** Uses the sums of the ledger; `settling` counts files that it does not know yet. */
function standing(view: LedgerView, names: readonly string[], settling: number) {
  const stages = view
    .folders()
    .flatMap(({ name, stages }) => (names.includes(name) ? [stages] : []))
  const sum = (...some: (keyof (typeof stages)[number])[]) =>
    stages.reduce((files, of) => some.reduce((all, stage) => all + of[stage].files, files), 0)
  return {
    /** Ready files, as the status counts them. Several may share one asset. */
    ready: sum('ready'),
    /** Files that settle, are uploaded or are read: no difference. */
    on_the_way: settling + sum('settling', 'waiting', 'sending', 'ingesting'),
    /** Files that the ledger knows as not ready, and so no difference. */
    standing: {
      refused: sum('refused'),
      blocked: sum('blocked'),
      removed_on_service: sum('removed_on_service'),
    },
  }
}
