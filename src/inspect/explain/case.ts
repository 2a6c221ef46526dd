import type { Config, FolderConfig } from '../../config/config.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { FileStory, Stage } from '../../ledger/views/view-files.ts'
import type { OlderVersion, PartingView } from '../../ledger/views/view-removal-cases.ts'
import type { checkPath } from '../plan/check-path.ts'

/**
 * A part of a path that keeps scans from the path, relative to the folder. `link`: a symbolic link.
 * `closed`: a directory that cannot be read; `code` is of errno(3). `odd_name`: a name that is not
 * UTF-8, with `\xNN` for its bytes.
 */
export type Obstacle =
  | { kind: 'link'; path: string }
  | { kind: 'odd_name'; path: string }
  | { kind: 'closed'; path: string; code: string }

/** Facts about one path and its circumstances. */
export interface Case {
  /**
   * Besides the stages: `ignored` by a rule, `unknown` to every scan, or `special`: no file, behind
   * a link, or with a name that is not UTF-8.
   */
  state: Stage | 'ignored' | 'unknown' | 'special'
  path: string
  on_disk: ReturnType<typeof checkPath>
  obstacle: Obstacle | undefined
  ignored_by: { rule: string; source: string; reason: string } | null
  folder: FolderConfig
  story: FileStory | undefined
  daemon_runs: boolean
  now_ms: number
  uploads: Config['uploads']
  /** Why its folder is offline; undefined if it is online. */
  offline: string | undefined
  /** The first scan of its folder has ended. */
  scanned: boolean
  /** Open problems of its project, and those that concern all projects. */
  troubles: readonly Trouble[]
  sent_today_bytes: number
  /** The earlier content of the path, if no file holds that now. */
  parting: PartingView | undefined
  older_versions: readonly OlderVersion[]
  /** Folders that name its asset, besides its own place (`foldersNaming`); empty without a page. */
  naming: readonly (string | null)[]
  /** True for a user without a shell, who sees nothing of this machine. */
  for_reader: boolean
}

/** A step that takes a shell or the configuration. */
export function step({ for_reader }: Pick<Case, 'for_reader'>, command: string): string {
  return for_reader ? 'ask your administrator' : command
}
