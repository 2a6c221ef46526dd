import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flushToDisk } from '../../base/files/atomic-file.ts'
import { openSqliteReadOnly, type Sqlite, translateSqliteError } from '../../base/files/sqlite.ts'
import { codeOf, SluiceError } from '../../base/run/errors.ts'
import { type DataPaths, dataPaths, makeDataFolders } from './database.ts'
import { service_migrations } from './schema.ts'

export interface ServiceBackup {
  assets: number
  /** The number of object files copied; small objects are in the database. */
  objects: number
  /** Object files that the copied database names, but whose assets were removed meanwhile. */
  removed: number
}

/**
 * Copies everything that cannot be made again into a new data folder; the service can run
 * meanwhile. First comes the database as of one moment, then the objects that it names, which never
 * change. The copy is complete, or there is none. A service that starts on the copy makes the index
 * and the signing key again. Errors: `usage.exists`, `config.service`, `database.…`.
 */
export function backUpService(data_dir: string, folder: string): ServiceBackup {
  if (existsSync(folder)) {
    throw new SluiceError({
      code: 'usage.exists',
      message: `${folder} already exists`,
      hint: 'name a folder that does not exist: a backup overwrites nothing',
    })
  }
  const from = dataPaths(data_dir)
  const to = dataPaths(`${folder}.part`)
  const source = openSqliteReadOnly(from.database, service_migrations)
  try {
    rmSync(to.folder, { recursive: true, force: true })
    makeDataFolders(to)
    copyDatabase(source, to.database)
    const copied = copyObjects(from, to)
    for (const path of [to.objects, to.folder]) flushToDisk(path)
    renameSync(to.folder, folder)
    flushToDisk(dirname(folder))
    return copied
  } catch (error) {
    rmSync(to.folder, { recursive: true, force: true })
    throw error
  } finally {
    source.close()
  }
}

function copyDatabase(source: Sqlite, file: string): void {
  try {
    source.prepare('VACUUM INTO ?').run(file)
  } catch (error) {
    throw translateSqliteError(error, file)
  }
  chmodSync(file, 0o600)
  flushToDisk(file)
}

/** Copies the object files that the copied database names. It names no upload in progress. */
function copyObjects(from: DataPaths, to: DataPaths): ServiceBackup {
  const copy = openSqliteReadOnly(to.database, service_migrations)
  try {
    const assets = copy.prepare('SELECT count(*) FROM assets').pluck().get() as number
    const names = copy
      .prepare('SELECT file FROM objects WHERE file IS NOT NULL')
      .pluck()
      .all() as string[]
    let removed = 0
    for (const name of names) {
      if (!copyObject(join(from.objects, name), join(to.objects, name))) removed++
    }
    return { assets, objects: names.length - removed, removed }
  } finally {
    copy.close()
  }
}

/** Copies one object file. Returns false if it is gone. */
function copyObject(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
  flushToDisk(to)
  return true
}
