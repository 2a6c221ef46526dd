import { isBelow } from '../base/files/path-below.ts'
import { isoTime, isoTimeOrNull } from '../base/time/time.ts'
import { isUnrecorded } from '../domain/trouble.ts'
import type { Stage } from '../ledger/views/view-files.ts'
import { type Amount, byStage, type FolderView } from '../ledger/views/view-folders.ts'

const nothing = byStage([])

export type FolderStatus = ReturnType<typeof folderStatus>

/** In the order of the config. A running daemon with an older config may know other folders. */
export function folderStatuses(
  folders: readonly Pick<FolderStatus, 'name' | 'path' | 'project_id'>[],
  known: readonly FolderView[],
  { is_watching, silent = [] }: { is_watching: boolean; silent?: readonly string[] | undefined },
): FolderStatus[] {
  const by_name = new Map(known.map((folder) => [folder.name, folder]))
  return folders.map(({ name, path, project_id }) => {
    const folder = by_name.get(name) ?? { name, root: path, project_id }
    const place = silent.find((place) => isBelow(path, place))
    const seen = place === undefined ? {} : { online: false, offline_reason: noAnswerText(place) }
    const status = folderStatus({ ...folder, ...seen })
    return is_watching ? status : { ...status, watching: null }
  })
}

function noAnswerText(place: string): string {
  return `${place} does not answer`
}

type NewFolder = Pick<FolderView, 'name' | 'root' | 'project_id'> & Partial<FolderView>

/** A folder that the ledger does not know has only the fields of its config. */
export function folderStatus(folder: NewFolder) {
  const { name, root: path, project_id, online, offline_reason, state_since_ms, watch } = folder
  const state = online ? 'online' : offline_reason === undefined ? 'new' : 'offline'
  return {
    name,
    path,
    project_id,
    /** `new`: in the config, but not checked yet. */
    state: state as 'online' | 'offline' | 'new',
    /** Start of this state; null if the ledger does not know the folder. */
    since: isoTimeOrNull(state_since_ms),
    reason: offline_reason ?? null,
    /** Watcher in use and the reason for it; null before one is chosen, and without a daemon. */
    watching: watch ?? null,
    watcher_changes: watcherChanges(folder.watcher_changes),
    last_scan: lastScan(folder),
    stages: folder.stages ?? nothing,
    /** Files of `ready` of which the service could not read all: a figure, never a problem. */
    ready_in_part: folder.ready_in_part ?? 0,
  }
}

/** Numbers of watchers replaced and given up for scans. `last`: the last replacement. */
function watcherChanges(changes: FolderView['watcher_changes'] | undefined) {
  if (changes === undefined || changes.replaced + changes.given_up === 0) return null
  const { replaced, given_up, last } = changes
  return { replaced, given_up, last: last ? { at: isoTime(last.at_ms), why: last.why } : null }
}

function lastScan({ scan, scan_began_ms, scan_ended_ms }: Partial<FolderView>) {
  if (!scan || scan_began_ms === undefined || scan_ended_ms === undefined) return null
  return {
    began: isoTime(scan_began_ms),
    ended: isoTime(scan_ended_ms),
    ...scan,
    missed: scan.missed ?? null,
  }
}

/** Stages of files that are on their way and need no user. */
export const underway: readonly Stage[] = ['settling', 'waiting', 'sending', 'ingesting']
const not_in: readonly Stage[] = [...underway, 'blocked', 'refused', 'removed_on_service']

/** The files of these folders that are in one of these stages. */
export function amountOf(
  folders: readonly { readonly stages: Readonly<Record<Stage, Amount>> }[],
  wanted: readonly Stage[],
): Amount {
  const sum = { files: 0, bytes: 0 }
  for (const { stages } of folders) {
    for (const stage of wanted) {
      sum.files += stages[stage].files
      sum.bytes += stages[stage].bytes
    }
  }
  return sum
}

/** Files, and places on the disk, that need a user. All screens and `status` show this number. */
export function sumOfAttention(folders: readonly FolderStatus[]): number {
  let sum = amountOf(folders, ['blocked', 'refused', 'removed_on_service']).files
  for (const { state, last_scan } of folders) {
    // The last scan of an offline folder says nothing any more.
    if (last_scan && state === 'online')
      sum += last_scan.unreadable_total + last_scan.odd_names_total
  }
  return sum
}

/**
 * True if every file that should be in the assistant is ready. Skipped files were left out on
 * purpose, so they do not count. A folder may have unknown files if it was not scanned, is offline,
 * has entries that cannot be read or whose names are not UTF-8, or a fact of it was refused. Then
 * it is not complete. `status` and the end of a pass use the same rule.
 */
export function isComplete(
  { name, state, last_scan, stages }: FolderStatus,
  troubles: readonly { about: string }[],
): boolean {
  return (
    !troubles.some((trouble) => isUnrecorded(name, trouble)) &&
    state === 'online' &&
    last_scan !== null &&
    last_scan.unreadable_total === 0 &&
    last_scan.odd_names_total === 0 &&
    amountOf([{ stages }], not_in).files === 0
  )
}
