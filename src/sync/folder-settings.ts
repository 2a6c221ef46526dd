import type { FolderStart } from '../domain/file.ts'

/** What sync must know of a folder; the config's folder has this shape. */
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

/**
 * Everything that decides which files are skipped, as one text: when it changes, skipped files are
 * looked at again.
 */
export function rulesText(folder: FolderSettings): string {
  const { include, exclude, dot_files, max_file_bytes, start } = folder
  return JSON.stringify({ include, exclude, dot_files, max_file_bytes, start })
}
