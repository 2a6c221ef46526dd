import { hour_ms, minute_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import { removeAsset } from './handlers-assets.ts'
import type { Parts } from './parts.ts'

/** Bytes that nobody completed are kept for a day: the client may be down. */
const unused_kept_ms = 24 * hour_ms
/** An expired slot is of no use to anybody and costs a row: there is no hurry. */
const sweep_each_ms = minute_ms
const sweep_most = 500

/** Removes slots that nobody can fill any more (B-10). The hosted profile keeps its dead reservations for ever (E-04). */
export function runSlotSweep(parts: Parts): Worker {
  return runWorker({
    ...parts,
    name: 'slot sweep',
    async step() {
      const swept = parts.profile.dedup_reservations ? 0 : await sweepSlots(parts)
      return { wait_ms: swept === sweep_most ? 0 : sweep_each_ms }
    },
  })
}

async function sweepSlots(parts: Parts): Promise<number> {
  const { assets, clock, uploading } = parts
  const now_ms = clock.now_ms()
  let swept = 0
  for (const slot of assets.expired(now_ms, now_ms - unused_kept_ms, sweep_most)) {
    const stillIdle = () => {
      const row = assets.bySeq(slot.seq)
      return row?.status === 'uploaded' && !uploading.has(row.asset_id) ? row : undefined
    }
    if (await removeAsset(parts, stillIdle)) swept++
  }
  return swept
}
