import { min_open_files } from '../base/run/open-files.ts'
import type { Config } from './config.ts'

/** A watcher, and the two threads of a scan: events, queues and open directories. */
const files_per_folder = 12
/** The file, and a connection to the API and to the blob store. */
const files_per_upload = 3
/** The most connections at once; scrapers keep one each. */
export const max_connections = { page: 200, health: 50 }

/**
 * Open files that a daemon of this configuration needs at once. It had 78 with one folder and 98
 * with six, while four uploads were under way. The inotify watches of a folder share one.
 */
export function openFilesNeeded({
  folders,
  uploads,
  page,
  health,
}: Pick<Config, 'folders' | 'page'> & {
  uploads: { concurrency: number }
  health: { listen: string }
}): number {
  const connections = [
    page.listen === 'off' ? 0 : max_connections.page,
    health.listen === 'off' ? 0 : max_connections.health,
  ]
  return (
    min_open_files +
    folders.length * files_per_folder +
    uploads.concurrency * files_per_upload +
    connections.reduce((sum, count) => sum + count)
  )
}
