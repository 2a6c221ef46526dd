import { min_open_files } from '../base/run/open-files.ts'
import type { Config } from './config.ts'

/** Measured were 4: a watcher, and the events, queues and open directories of a scan. */
const files_per_folder = 6
/** The file, and a connection to the API and to the blob store. */
const files_per_upload = 3
/** The most connections at once; scrapers keep one each. */
export const max_connections = { page: 200, health: 50 }

/**
 * Open files that a daemon of this configuration needs at once. A single pass (`once`) serves
 * neither page nor health. A daemon had 78 with one folder and 98
 * with six, while four uploads were under way. The inotify watches of a folder share one.
 */
export function openFilesNeeded(
  config: Pick<Config, 'folders' | 'uploads' | 'page' | 'health'>,
  mode: 'run' | 'once',
): number {
  let files =
    min_open_files +
    config.folders.length * files_per_folder +
    config.uploads.concurrency * files_per_upload
  if (mode === 'once') return files
  if (config.page.listen !== 'off') files += max_connections.page
  if (config.health.listen !== 'off') files += max_connections.health
  return files
}
