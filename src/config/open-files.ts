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
  {
    folders,
    uploads,
    page,
    health,
  }: Pick<Config, 'folders' | 'page'> & {
    uploads: { concurrency: number }
    health: { listen: string }
  },
  mode: 'run' | 'once',
): number {
  const connections = [
    mode === 'once' || page.listen === 'off' ? 0 : max_connections.page,
    mode === 'once' || health.listen === 'off' ? 0 : max_connections.health,
  ]
  return (
    min_open_files +
    folders.length * files_per_folder +
    uploads.concurrency * files_per_upload +
    connections.reduce((sum, count) => sum + count)
  )
}
