import type { IgnoreRules, IgnoreSpec } from '../disk/scan/ignore.ts'
import { type SkipSettings, skipSettings } from '../domain/file-reasons.ts'

/** Settings of a folder that sync needs; a subset of the config's. */
export interface FolderSettings extends IgnoreSpec, SkipSettings {
  /** Absolute path of the folder's root. */
  path: string
  settle_ms: number
  settle_cap_ms: number
  upload_name: 'path' | 'base'
  mime_types: Readonly<Record<string, string>>
  /** Of text that is not in Unicode; undefined: the service finds it. */
  charset?: string | undefined
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
  const { include, exclude, dot_files } = folder
  return JSON.stringify({ include, exclude, dot_files, ...skipSettings(folder) })
}
