import { adviceOnUnreadable } from '../../domain/file.ts'
import type { FolderStatus } from '../folders.ts'

/** Places of one kind in a folder, with what is wrong there. */
interface Finding {
  what: string
  total: number
  /** The ledger keeps a limited number. A directory may have a `/` at its end. */
  places: readonly { path: string; why?: string }[]
}

/** Files that a scan could not take up, and folders that more people see than on the disk. */
export function scanFindings(scan: NonNullable<FolderStatus['last_scan']>): Finding[] {
  const { unreadable, unreadable_total, odd_names, odd_names_total, other_mounts } = scan
  const advice = adviceOnUnreadable(unreadable.map(({ code }) => code))
  // Folders that are left out are among the ignored ones, too.
  const seen = scan.ignored.some(({ source }) => source === 'config widening')
    ? 'left out (widening: skip)'
    : 'everybody in the project sees their files (widening: warn)'
  const odd = 'cannot be uploaded, because the names are not UTF-8 (rename them)'
  const mounts = 'not scanned, because other disks are mounted there (add them as folders)'
  const narrower = `subfolders that fewer people can read than this folder, ${seen}`
  const all: Finding[] = [
    { what: odd, total: odd_names_total, places: odd_names.map((path) => ({ path })) },
    { what: `cannot be read (${advice})`, total: unreadable_total, places: unreadable },
    { what: mounts, total: other_mounts.length, places: other_mounts.map((path) => ({ path })) },
    { what: narrower, total: scan.narrower_total, places: scan.narrower },
  ]
  return all.filter(({ total }) => total > 0)
}
