import { isSluiceError, SluiceError } from '../base/errors.ts'
import { holdLock, type Sqlite } from '../base/sqlite.ts'
import type { Clock } from '../base/time.ts'
import { type Access, openAccess } from './access.ts'
import { type CommitGroup, groupCommits } from './commit-group.ts'
import { type Concepts, openConcepts, openViews, type Views } from './concepts.ts'
import { type DataPaths, dataPaths, makeDataFolders, openServiceDatabase } from './database.ts'
import { type ObjectFiles, openObjectFiles } from './object-files.ts'
import { openProjects, type Projects } from './projects.ts'
import { loadSigningKey, type Signer, signWith } from './signing.ts'
import { type AssetStore, openAssetStore } from './store-assets.ts'
import { type ChatStore, openChatStore } from './store-chats.ts'
import { type ConceptStore, openConceptStore } from './store-concepts.ts'
import { type ForgetStore, openForgetStore } from './store-forget.ts'
import { type LabelStore, openLabelStore } from './store-labels.ts'
import { type MemberStore, openMemberStore } from './store-members.ts'
import { type ObjectStore, openObjectStore } from './store-objects.ts'
import { openProjectStore, type ProjectStore } from './store-projects.ts'
import { openResourceStore, type ResourceStore } from './store-resources.ts'
import { openTokens, type Tokens } from './tokens.ts'
import { openUsers, type Users } from './users.ts'
import { openWorkspaces, type Workspaces } from './workspaces.ts'

/** Everything that the service keeps, opened by one process at a time. */
export interface Stores {
  paths: DataPaths
  database: Sqlite
  access: Access
  administration: Administration
  project_store: ProjectStore
  members: MemberStore
  resources: ResourceStore
  assets: AssetStore
  objects: ObjectStore
  files: ObjectFiles
  labels: LabelStore
  chats: ChatStore
  concepts: ConceptStore
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
    const commits = groupCommits(opened, paths.database, clock)
    const access = openAccess(database)
    return {
      paths,
      database,
      access,
      administration: administrate(database, clock, access.forget),
      project_store: openProjectStore(database),
      members: openMemberStore(database),
      resources: openResourceStore(database),
      assets: openAssetStore(database),
      objects: openObjectStore(database),
      files: openObjectFiles(paths.objects),
      labels: openLabelStore(database),
      chats: openChatStore(database),
      concepts: openConceptStore(database),
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

/** What is done on this machine only, by command: never through `/v1`. */
export interface Administration {
  workspaces: Workspaces
  projects: Projects
  tokens: Tokens
  users: Users
  concepts: Concepts
  views: Views
}

/** That alone, also beside a running service: what `sluice serve token` and its like use. */
export function openAdministration(data_dir: string, clock: Clock): Administration & { close(): void } {
  const paths = dataPaths(data_dir)
  makeDataFolders(paths)
  const database = openServiceDatabase(paths)
  return { ...administrate(database, clock, () => {}), close: () => database.close() }
}

function administrate(database: Sqlite, clock: Clock, forget: () => void): Administration {
  return {
    workspaces: openWorkspaces(database, clock),
    projects: openProjects(database, clock),
    tokens: openTokens(database, clock, forget),
    users: openUsers(database, clock, forget),
    concepts: openConcepts(database, clock),
    views: openViews(database, clock),
  }
}
