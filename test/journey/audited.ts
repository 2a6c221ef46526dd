import type { AssetStatus } from '../../src/contract/messages-assets.ts'
import type { AuditState } from '../../src/ledger/audit-work.ts'
import { setStatusThere } from '../service/set-status.ts'
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

/** The service changes its mind about the asset of a file. */
export function setFileStatusThere(journey: Journey, name: string, status: AssetStatus): void {
  setStatusThere(journey.service, journey.file(name)!.asset_id!, status)
}

export function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`docs/${index}.txt`, `text ${index}`]))
}

/** Holds the second page of the list that is asked for from now on. */
export function secondPage(journey: Journey): { reached: Promise<void>; goOn(): void } {
  let pages = 0
  let goOn = () => {}
  let tell = () => {}
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    tell = resolve
  })
  journey.service.on('begin', async ({ place }) => {
    if (place !== 'assets.list' || ++pages !== 2) return
    tell()
    await released
  })
  return { reached, goOn: () => goOn() }
}
