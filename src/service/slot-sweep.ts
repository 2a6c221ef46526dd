import { hour_ms, minute_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import { type AssetParts, removeAsset } from './handlers-assets.ts'

export interface SweepParts extends AssetParts {
  /** Slots whose bytes are on their way: they stay. */
  uploading: ReadonlySet<string>
  signal: AbortSignal
  on_error: (error: unknown) => void
}

/** Bytes that nobody completed are kept for a day: the client may be down. */
const unused_kept_ms = 24 * hour_ms
/** An expired slot is of no use to anybody and costs a row: there is no hurry. */
const sweep_each_ms = minute_ms
const sweep_most = 500

/** Removes slots that nobody can fill any more (B-10). The hosted profile keeps its dead reservations for ever (E-04). */
export function runSlotSweep(parts: SweepParts): Worker {
  const { clock, signal, on_error } = parts
  return runWorker({
    name: 'slot sweep',
    clock,
    signal,
    on_error,
    async step() {
      const swept = parts.profile.dedup_reservations ? 0 : await sweepSlots(parts)
      return { wait_ms: swept === sweep_most ? 0 : sweep_each_ms }
    },
  })
}

async function sweepSlots(parts: SweepParts): Promise<number> {
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
