import { join } from 'node:path'
import { sqliteDriver } from '../../src/base/files/sqlite-driver.ts'
import type { AssetReading } from '../../src/contract/messages/messages-assets.ts'
import type { Service } from '../rig/local-service.ts'

const Database = sqliteDriver()

/** Changes in the database how much of an asset was read; undefined: its record does not say so. */
export function setReadingThere(
  service: Service,
  asset_id: string,
  reading: AssetReading | undefined,
): void {
  const database = new Database(join(service.data_dir, 'service.db'))
  try {
    database
      .prepare('UPDATE assets SET reading = ? WHERE asset_id = ?')
      .run(reading === undefined ? null : JSON.stringify(reading), asset_id)
  } finally {
    database.close()
  }
}
