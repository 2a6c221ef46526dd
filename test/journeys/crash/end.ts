import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import { ticket_migrations } from '../../../src/ledger/file/tickets.ts'
import { allBroken } from '../../ledger/broken-rules.ts'
import { filesOnDisk, md5Of } from '../rig/disk-truth.ts'
import { type PromptEnd, readPromptEnd } from './prompt-end.ts'
import type { World } from './world.ts'

/** The final state, which must be the same however often the daemon was stopped. */
export interface End {
  /**
   * From the service's own database: everything except bare slots, with the md5 of the stored
   * bytes.
   */
  assets: { md5: string; stored_md5: string; status: string; labels: string[] }[]
  disk: [path: string, md5: string][]
  /** The files in the ledger. */
  files: unknown[]
  contents: unknown[]
  labels: unknown[]
  folders: unknown[]
  troubles: unknown[]
  tickets: number
  /** Rows of the ledger that contradict each other. */
  broken_rules: unknown[]
  blob_faults: number
  prompt: PromptEnd | undefined
}

export function readEnd(world: World): End {
  const { service, project_id } = world
  const assets = service
    .assets(project_id)
    .filter(({ bare }) => !bare)
    .map(({ asset_id, md5, status, labels }) => ({
      md5: md5 ?? '',
      stored_md5: md5Of(service.readBlob(asset_id)),
      status,
      labels,
    }))
    .sort((a, b) => a.md5.localeCompare(b.md5))
  const disk = existsSync(world.folder) ? [...filesOnDisk(world.folder)].sort() : []
  const prompt = readPromptEnd(world)
  return {
    assets,
    disk,
    ...readLedger(world.state_dir),
    blob_faults: service.blobFaults.count,
    prompt,
  }
}

export function bareSlots(world: World): number {
  return world.service.assets(world.project_id).filter(({ bare }) => bare).length
}

function readLedger(state_dir: string): Omit<End, 'assets' | 'disk' | 'blob_faults' | 'prompt'> {
  const ledger = openSqliteReadOnly(ledgerFile(state_dir), ledger_migrations)
  const tickets = openSqliteReadOnly(join(state_dir, 'tickets.db'), ticket_migrations)
  const all = (sql: string) => ledger.prepare(sql).all()
  try {
    return {
      files: all(
        `SELECT path, files.state, reason, lower(hex(md5)) AS md5, contents.state AS content, accepted,
           files.ready_ms IS NOT NULL AS has_been_ready
         FROM files LEFT JOIN contents ON contents.id = files.content ORDER BY path`,
      ),
      contents: all(
        `SELECT lower(hex(md5)) AS md5, state, labels_due_ms IS NOT NULL AS labels_due FROM contents ORDER BY md5`,
      ),
      labels: all(
        `SELECT lower(hex(md5)) AS md5, name FROM asset_labels JOIN contents ON contents.id = content ORDER BY md5, name`,
      ),
      folders: all(
        'SELECT name, configured, offline_reason, first_scan_ms IS NOT NULL AS was_scanned FROM folders',
      ),
      troubles: all('SELECT about, code FROM troubles'),
      tickets: tickets.prepare('SELECT count(*) FROM tickets').pluck().get() as number,
      broken_rules: allBroken(ledger),
    }
  } finally {
    tickets.close()
    ledger.close()
  }
}
