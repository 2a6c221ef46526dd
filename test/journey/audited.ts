import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AssetStatus } from '../../src/contract/messages-assets.ts'
import type { AuditState } from '../../src/ledger/audit-work.ts'
import type { Journey } from './harness.ts'

export async function auditOf(journey: Journey): Promise<AuditState> {
  const audits = await journey.daemon.ledger.audits()
  return audits.find(({ project_id }) => project_id === journey.project_id)!
}

/** A round as a person asks for it, from its beginning to its end; answers what it counted. */
export async function audited(journey: Journey): Promise<NonNullable<AuditState['last']>['counts']> {
  const { round } = await auditOf(journey)
  await journey.record({ type: 'audit_wanted' })
  await journey.until('the audit is over', async () => {
    const now = await auditOf(journey)
    return now.round > round && !now.running && !now.wanted
  })
  return (await auditOf(journey)).last!.counts
}

/** Far ahead of every clock: what is being read again is not finished before the test says so. */
const never_ms = Date.UTC(2100, 0, 1)

/** The service changes its mind about an asset, as none of its calls would. */
export function setStatusThere(journey: Journey, name: string, status: AssetStatus): void {
  const database = new Database(join(journey.service.data_dir, 'service.db'))
  try {
    database
      .prepare('UPDATE assets SET status = ?, ingest_due_ms = ? WHERE asset_id = ?')
      .run(status, status === 'ingesting' ? never_ms : null, journey.file(name)!.asset_id)
  } finally {
    database.close()
  }
}
