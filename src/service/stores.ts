import { isSluiceError, SluiceError } from '../base/errors.ts'
import { holdLock, type Sqlite } from '../base/sqlite.ts'
import type { Clock } from '../base/time.ts'
import { type Access, openAccess, type Projects, type Tokens } from './access.ts'
import { type CommitGroup, groupCommits } from './commit-group.ts'
import { type DataPaths, dataPaths, makeDataFolders, openServiceDatabase } from './database.ts'
import { type ObjectFiles, openObjectFiles } from './object-files.ts'
import { loadSigningKey, type Signer, signWith } from './signing.ts'
import { type AssetStore, openAssetStore } from './store-assets.ts'
import { type ChatStore, openChatStore } from './store-chats.ts'
import { type ForgetStore, openForgetStore } from './store-forget.ts'
import { type LabelStore, openLabelStore } from './store-labels.ts'
import { type ObjectStore, openObjectStore } from './store-objects.ts'

/** Everything that the service keeps, opened by one process at a time. */
export interface Stores {
  paths: DataPaths
  database: Sqlite
  access: Access
  assets: AssetStore
  objects: ObjectStore
  files: ObjectFiles
  labels: LabelStore
  chats: ChatStore
  to_forget: ForgetStore
  commits: CommitGroup
  signer: Signer
  close(): Promise<void>
}

/** Errors: `config.service` when another service has this data folder; `database.…`. */
export function openStores(data_dir: string, clock: Clock): Stores {
  const paths = dataPaths(data_dir)
  makeDataFolders(paths)
  const lock = lockData(paths)
  let database: Sqlite | undefined
  try {
    database = openServiceDatabase(paths)
    const opened = database
    const commits = groupCommits(opened, paths.database)
    return {
      paths,
      database,
      access: openAccess(database, clock),
      assets: openAssetStore(database),
      objects: openObjectStore(database),
      files: openObjectFiles(paths.objects),
      labels: openLabelStore(database),
      chats: openChatStore(database),
      to_forget: openForgetStore(database),
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

function lockData(paths: DataPaths): { release(): void } {
  try {
    return holdLock(paths.lock)
  } catch (error) {
    if (!isSluiceError(error, 'database.locked')) throw error
    throw new SluiceError({
      code: 'config.service',
      message: `another service runs on ${paths.folder}`,
      hint: 'stop it, or name another data folder',
      cause: error,
    })
  }
}

/** Projects and tokens alone, also beside a running service: what `sluice serve token` and `sluice serve project` use. */
export function openAdministration(
  data_dir: string,
  clock: Clock,
): { projects: Projects; tokens: Tokens; close(): void } {
  const paths = dataPaths(data_dir)
  makeDataFolders(paths)
  const database = openServiceDatabase(paths)
  const { projects, tokens } = openAccess(database, clock)
  return { projects, tokens, close: () => database.close() }
}
