import type { IgnoreRules, IgnoreSpec } from '../disk/scan/ignore.ts'
import type { FolderStart } from '../domain/file.ts'

/** Settings of a folder that sync needs; a subset of the config's. */
export interface FolderSettings extends IgnoreSpec {
  name: string
  /** Absolute path of the folder's root. */
  path: string
  max_file_bytes: number
  settle_ms: number
  settle_cap_ms: number
  start: FolderStart
  upload_name: 'path' | 'base'
  mime_types: Readonly<Record<string, string>>
  watch: 'auto' | 'chokidar' | 'native' | 'scan'
  rescan_interval_ms: number
}

/** A folder in force. A new object means new settings. */
export interface IntakeFolder {
  settings: FolderSettings
  rules: IgnoreRules
}

/** All settings that decide about skips. If this text changes, skipped files are checked again. */
export function rulesText(folder: FolderSettings): string {
  const { include, exclude, dot_files, max_file_bytes, start } = folder
  return JSON.stringify({ include, exclude, dot_files, max_file_bytes, start })
}
