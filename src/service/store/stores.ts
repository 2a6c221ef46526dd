import { existsSync } from 'node:fs'
import { holdLock } from '../../base/files/lock.ts'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import { refused } from '../faults/faults.ts'
import { openAccess } from './access.ts'
import { openTokens, openUsers } from './accounts.ts'
import { openProjects, openWorkspaces } from './administration.ts'
import { groupCommits } from './commit-group.ts'
import { openConceptStore, openConcepts, openViews } from './concepts.ts'
import { type DataPaths, dataPaths, makeDataFolders, openServiceDatabase } from './database.ts'
import { openMembers } from './members.ts'
import { openObjectFiles, openObjectStore } from './object-files.ts'
import { openPictureStore } from './picture-pages.ts'
import { loadSigningKey, signWith } from './signing.ts'
import { openAssetStore } from './store-assets.ts'
import { openChatStore, openReadingNotes } from './store-chats.ts'
import { openProjectStore } from './store-projects.ts'
import { openLabelStore, openResourceStore } from './store-resources.ts'

export type Stores = ReturnType<typeof openStores>

/**
 * Opens all data of the service, for one process at a time. Errors: `config.service` if another
 * service uses this data folder; `database.…`.
 */
export function openStores(data_dir: string, clock: Clock) {
  const paths = dataPaths(data_dir)
  makeDataFolders(paths)
  const lock = lockData(paths, clock)
  let database: Sqlite | undefined
  try {
    database = openServiceDatabase(paths)
    const opened = database
    const commits = groupCommits(opened, paths.database, clock)
    return {
      paths,
      database,
      access: openAccess(database),
      administration: administrate(database, clock, paths),
      project_store: openProjectStore(database),
      resources: openResourceStore(database),
      assets: openAssetStore(database),
      pictures: openPictureStore(database),
      objects: openObjectStore(database),
      files: openObjectFiles(paths.objects),
      labels: openLabelStore(database),
      chats: openChatStore(database),
      reading_notes: openReadingNotes(database),
      concepts: openConceptStore(database),
      commits,
      signer: signWith(loadSigningKey(paths.signing_key)),
      async close() {
        await commits.close()
        opened.close()
        lock.release()
      },
    }
  } catch (error) {
    database?.close()
    lock.release()
    throw error
  }
}

function lockData(paths: DataPaths, clock: Clock): { release(): void } {
  try {
    return holdLock(paths.lock, 'sluice serve')
  } catch (error) {
    if (!isSluiceError(error, 'database.locked')) throw error
    throw refused(
      `the local service of ${paths.folder} runs already${addressOf(paths, clock)}: ${error.message}`,
      'use it as it is, or stop it first; --data-dir names another data folder',
      error,
    )
  }
}

/** The address of the running service for clients; empty if it cannot be read. */
function addressOf({ folder }: DataPaths, clock: Clock): string {
  try {
    const administration = openAdministration(folder, clock, false)
    const address = administration.members.address()
    administration.close()
    return address === undefined ? '' : ` at ${address}`
  } catch {
    return ''
  }
}

/**
 * Opens the administration beside a running service, for commands like `sluice serve token`. Error
 * `config.service`: there is no service, and the command may not begin one.
 */
export function openAdministration(
  data_dir: string,
  clock: Clock,
  may_begin: boolean,
): Administration & { close(): void } {
  const paths = dataPaths(data_dir)
  if (!may_begin && !existsSync(paths.database)) {
    const hint =
      'name its data folder by --data-dir, or begin one with `sluice serve` or `sluice serve project create NAME`'
    throw refused(`there is no local service in ${paths.folder}`, hint)
  }
  makeDataFolders(paths)
  const database = openServiceDatabase(paths)
  return { ...administrate(database, clock, paths), close: () => database.close() }
}

export type Administration = ReturnType<typeof administrate>

/** The work of `sluice serve` commands. Except for projects, `/v1` has no calls for it. */
function administrate(database: Sqlite, clock: Clock, { objects }: DataPaths) {
  return {
    workspaces: openWorkspaces(database, clock),
    projects: openProjects(database, clock, objects),
    tokens: openTokens(database, clock),
    users: openUsers(database, clock),
    concepts: openConcepts(database, clock),
    views: openViews(database, clock),
    members: openMembers(database, clock),
  }
}
