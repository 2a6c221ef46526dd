import type { FolderConfig } from '../../config/config.ts'
import { type RootStatus, rootStatus } from '../../disk/root/root.ts'
import { type ScanEnd, scanFolder } from '../../disk/scan/scan.ts'
import type { FolderView } from '../../ledger/views/view-folders.ts'
import { type DoctorTools, withinTime } from './check.ts'

/** Facts about a folder for its checks. */
export interface InspectedFolder {
  folder: FolderConfig
  /** `unresponsive`: the path gave no answer, so nothing else was tried. */
  root: RootStatus | { kind: 'unresponsive' }
  seen: Seen | undefined
  /** Why the daemon gave up its watcher, from the ledger; absent if it did not. */
  given_up?: string | undefined
}

/**
 * Counts and lists of a new scan; or of the daemon's last one, if the folder is large or the new
 * scan did not end. `part of a walk`: the new scan left out parts, and there is no other.
 */
export type Seen = Pick<
  ScanEnd,
  'files' | 'directories' | 'unreadable' | 'unreadable_total' | 'narrower' | 'narrower_total'
> & {
  from: 'walk' | 'last scan' | 'part of a walk'
}

/** For larger folders the last scan of the daemon is used: a new one would take too long. */
const max_walked_entries = 300_000
const max_at_once = 2

export async function inspectFolders(tools: DoctorTools): Promise<InspectedFolder[]> {
  const inspected: InspectedFolder[] = []
  const folders = [...tools.config.folders.entries()]
  const known = new Map((tools.ledger?.folders() ?? []).map((folder) => [folder.name, folder]))
  const work = async () => {
    for (;;) {
      const next = folders.shift()
      if (next === undefined) return
      const [at, folder] = next
      inspected[at] = await inspectFolder(folder, known.get(folder.name), tools)
    }
  }
  await Promise.all(Array.from({ length: max_at_once }, work))
  return inspected
}

async function inspectFolder(
  folder: FolderConfig,
  known: FolderView | undefined,
  tools: DoctorTools,
): Promise<InspectedFolder> {
  if (tools.isUnresponsive(folder.path))
    return { folder, root: { kind: 'unresponsive' }, seen: undefined }
  const root = rootStatus(folder.path)
  if (root.kind === 'offline') return { folder, root, seen: undefined }
  const scan = known?.scan
  const given_up = known?.given_up_reason
  const from_scan: Seen | undefined = scan && { ...scan, from: 'last scan' }
  const is_large = scan !== undefined && scan.files + scan.directories > max_walked_entries
  const walked = is_large ? undefined : await walkFor(folder, tools)
  if (walked?.from === 'walk') return { folder, root, seen: walked, given_up }
  return { folder, root, seen: from_scan ?? walked, given_up }
}

async function walkFor(
  folder: FolderConfig,
  { clock, limits }: DoctorTools,
): Promise<Seen | undefined> {
  const walk = async (signal: AbortSignal): Promise<Seen | undefined> => {
    try {
      const seen = await scanFolder({ root: folder.path, ignore: folder, signal }, () => {})
      return { ...seen, from: seen.complete ? 'walk' : 'part of a walk' }
    } catch {
      // The folder went offline meanwhile: the last scan is used.
      return undefined
    }
  }
  return withinTime(clock, limits.walk_ms, walk, () => undefined)
}
