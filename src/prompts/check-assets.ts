import type { AssetRecord } from '../remote/assets.ts'
import type { Failure } from '../remote/outcome.ts'
import type { RunTools } from './run-tools.ts'

export interface CheckedAssets {
  /** Removed on the service: asset ids. */
  gone: Set<string>
  /** There, but of no use in a chat at the moment. */
  not_ready: Set<string>
}

/** Read singly, so many at once: a question waits for them, the uploads beside it should not. */
const reads_at_once = 4
/** Up to here single reads are as cheap as pages of a list in which the assets may lie anywhere. */
const singly_most = 20
/** What arrived lately is on the first pages where the newest come first; where it is not, the pages are given up soon. */
function pagesFor(assets: number): number {
  return Math.ceil(assets / 50) + 4
}

/** Whether the service still has these assets, ready for a question. A failure: it could not be found out. */
export async function checkAssets(
  project_id: string,
  asset_ids: readonly string[],
  { remote, hard }: RunTools,
): Promise<{ ok: true; value: CheckedAssets } | { ok: false; failure: Failure }> {
  const unknown = new Set(asset_ids)
  const checked: CheckedAssets = { gone: new Set(), not_ready: new Set() }
  const see = ({ asset_id, status }: AssetRecord) => {
    if (unknown.delete(asset_id) && status !== 'ready') checked.not_ready.add(asset_id)
  }
  let after_id: string | undefined
  for (let page = 0; unknown.size > singly_most && page < pagesFor(asset_ids.length); page++) {
    const outcome = await remote.listAssets(project_id, { after_id })
    if (!outcome.ok) return outcome
    outcome.value.items.forEach(see)
    after_id = outcome.value.next
    if (after_id === undefined) break
  }
  const singly = [...unknown]
  for (let from = 0; from < singly.length && !hard.aborted; from += reads_at_once) {
    const some = singly.slice(from, from + reads_at_once)
    const outcomes = await Promise.all(some.map((asset_id) => remote.readAsset(project_id, asset_id)))
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) see(outcome.value)
      else if (outcome.failure.about === 'asset_gone') checked.gone.add(some[index]!)
      else return outcome
    }
  }
  return { ok: true, value: checked }
}
