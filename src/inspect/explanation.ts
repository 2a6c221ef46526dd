import type { EntryKind } from '../disk/entry.ts'
import type { Stage } from '../ledger/view-files.ts'

/** Version of the JSON form: it grows when a field goes or changes its meaning, not when one is added. */
export const explain_version = 1

/** All that can be said of one path. Times are ISO 8601 UTC; null: not known, or none. */
export interface Explanation {
  version: typeof explain_version
  folder: string
  path: string
  /** Where it is on this machine. */
  place: string
  project_id: string
  /** `ignored`: a rule leaves it out. `unknown`: not looked at yet. `special`: no file: a directory, a link, a pipe … */
  state: Stage | 'ignored' | 'unknown' | 'special'
  /** Sentences: why it stands there, what comes next, what to do. */
  why: string[]
  on_disk: { kind: EntryKind | 'missing' | 'unreadable'; size: number | null; modified: string | null }
  ignored_by: { rule: string; source: string; reason: string } | null
  last_error: { code: string; message: string } | null
  attempts: number
  next_try: string | null
  asset_id: string | null
  md5: string | null
  labels: string[]
  /** Other files with the same bytes: one upload serves all. */
  same_bytes: { folder: string; path: string }[]
  /** Assets of what stood here before, which answer still; `kept`: and will. */
  older_versions: { asset_id: string; replaced: string; kept: boolean }[]
  times: { seen: string; settled: string | null; sent: string | null; ready: string | null; gone: string | null } | null
  history: { at: string; event: string; detail: string | null }[]
}
