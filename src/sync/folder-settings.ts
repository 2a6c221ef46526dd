import type { FolderStart } from '../domain/file.ts'

/** Settings of a folder that sync needs; a subset of the config's. */
export interface FolderSettings {
  name: string
  /** Absolute path of the folder's root. */
  path: string
  project_id: string
  include: readonly string[]
  exclude: readonly string[]
  dot_files: boolean
  labels: readonly string[]
  label_from: 'none' | 'first_folder'
  max_file_bytes: number
  settle_ms: number
  settle_cap_ms: number
  start: FolderStart
  upload_name: 'path' | 'base'
  mime_types: Readonly<Record<string, string>>
  watch: 'auto' | 'chokidar' | 'native' | 'scan'
  rescan_interval_ms: number
  widening: 'warn' | 'skip'
}

/** All settings that decide about skips. If this text changes, skipped files are checked again. */
export function rulesText(folder: FolderSettings): string {
  const { include, exclude, dot_files, max_file_bytes, start } = folder
  return JSON.stringify({ include, exclude, dot_files, max_file_bytes, start })
}
