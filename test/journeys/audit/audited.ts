import { join } from 'node:path'
import { expect } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import type { AssetStatus } from '../../../src/contract/messages/messages-assets.ts'
import type { AuditState } from '../../../src/ledger/audit-work.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { setStatusThere } from '../../service/set-status.ts'
import type { Journey } from '../rig/harness.ts'

const Database = sqliteDriver()

/** Assets on a page of the list. Enough files for three pages, even after eight are removed. */
export const list_page = 10
export const three_pages = 29

export async function auditOf(journey: Journey): Promise<AuditState> {
  const audits = await journey.daemon.ledger.audits()
  return audits.find(({ project_id }) => project_id === journey.project_id)!
}

/** Runs a round at a user's request from beginning to end; returns its counts. */
export async function audited(
  journey: Journey,
): Promise<NonNullable<AuditState['last']>['counts']> {
  const { round } = await auditOf(journey)
  await journey.record({ type: 'audit_wanted' })
  await journey.until('the audit is over', async () => {
    const now = await auditOf(journey)
    return now.round > round && !now.running && !now.wanted
  })
  return (await auditOf(journey)).last!.counts
}

/** Changes the status of a file's asset on the service. */
export function setFileStatusThere(journey: Journey, name: string, status: AssetStatus): void {
  setStatusThere(journey.service, journey.file(name)!.asset_id!, status)
}

export function many(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.txt`, `text ${index}`]),
  )
}

/** Holds the second page of the list that is requested from now on. */
export function secondPage(journey: Journey): { reached: Promise<void>; goOn(): void } {
  let pages = 0
  let goOn = () => {}
  let reach = () => {}
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  journey.service.on('begin', async ({ place }) => {
    if (place !== 'assets.list' || ++pages !== 2) return
    reach()
    await released
  })
  return { reached, goOn: () => goOn() }
}

function name(journey: Journey, asset_id: string): string {
  return journey.files().find((file) => file.asset_id === asset_id)!.name
}

/** Deletes the cursors of removed assets, which only the local service keeps. */
function forgetPlaces(journey: Journey): void {
  const database = new Database(join(journey.service.data_dir, 'service.db'))
  try {
    expect(database.prepare('DELETE FROM removed').run().changes).toBeGreaterThan(0)
  } finally {
    database.close()
  }
}

/**
 * Removes this number of assets at the end of the first page, with their cursors. The hosted
 * service lists the oldest first.
 */
export async function loseEndOfFirstPage(
  journey: Journey,
  profile: ProfileName,
  count: number,
): Promise<string[]> {
  const came = journey.assets()
  const listed = profile === 'hosted' ? came : came.reverse()
  const lost = listed.slice(list_page - count, list_page).map(({ asset_id }) => asset_id)
  const names = lost.map((asset_id) => name(journey, asset_id))
  for (const asset_id of lost) expect(await journey.service.removeAsset(asset_id)).toBe(true)
  forgetPlaces(journey)
  return names
}

/** The id of a ready asset that this ledger does not know. */
export async function uploadedByAnother(journey: Journey, text: string): Promise<string> {
  const { body: slot } = await journey.call('POST', '/v1/assets', {
    filename: 'x.txt',
    mime_type: 'text/plain',
  })
  const headers = slot.upload_headers as Record<string, string>
  await fetch(String(slot.upload_url), { method: 'PUT', headers, body: text })
  await journey.call('POST', `/v1/assets/${slot.asset_id}/complete`)
  const isReady = async () =>
    (await journey.call('GET', `/v1/assets/${slot.asset_id}`)).body.status === 'ready'
  await journey.until('the other asset is ready', isReady)
  return String(slot.asset_id)
}
