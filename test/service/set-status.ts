import { join } from 'node:path'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'
import type { AssetStatus } from '../../src/contract/messages/messages-assets.ts'
import type { Service } from '../rig/local-service.ts'

const Database = sqliteDriver()

/** Far ahead of every clock: reading again does not finish before the test ends it. */
const never_ms = Date.UTC(2100, 0, 1)

/** Changes the status of an asset in the database, as none of the calls does. */
export function setStatusThere(service: Service, asset_id: string, status: AssetStatus): void {
  const database = new Database(join(service.data_dir, 'service.db'))
  try {
    database
      .prepare('UPDATE assets SET status = ?, ingest_due_ms = ? WHERE asset_id = ?')
      .run(status, status === 'ingesting' ? never_ms : null, asset_id)
  } finally {
    database.close()
  }
}
