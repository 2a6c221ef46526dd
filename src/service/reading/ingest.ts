import { runWorker, type Worker } from '../../base/run/worker.ts'
import { hour_ms, minute_ms, second_ms, system_clock } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import { removeAsset } from '../remove-asset.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { failedText, readTogether, withinBytes } from './read-together.ts'
import type { ReadOutcome } from './reader-thread.ts'

/** The longest rest of the ingest worker. New work wakes it earlier. */
const idle_ms = 60 * second_ms
/**
 * The rest after a batch of several files that was not full, so that a stream of small files shares
 * its flushes. It is real time on any clock, because it is about the disk.
 */
const gather_ms = 50
/** The most removed assets whose passages are deleted at once. */
const max_forgotten = 256
/** The most bytes read in one transaction, but always one file. Questions wait for the thread. */
const max_batch_bytes = 8 * 1024 * 1024

/**
 * Takes accepted assets from `ingesting` to `ready` or `failed`, or passes them to
 * `ingest-documents.ts`. The database rows are the queue. After a kill it continues where the
 * database says; reading an asset twice has the same result.
 */
export function runIngest(parts: Parts): Worker {
  const { assets, commits, reader, clock, signal } = parts
  const { concurrency } = parts.settings.ingest
  return runWorker({
    ...parts,
    name: 'ingest',
    async step() {
      const forgotten = assets.toForget(max_forgotten)
      if (forgotten.length > 0) {
        await reader.ask('forget', forgotten)
        await commits.writeUnflushed(() => assets.forgotten(forgotten))
      }
      const due = withinBytes(
        assets.dueForIngest(clock.now_ms(), concurrency, 'thread'),
        max_batch_bytes,
      )
      if (due.length > 0) {
        const outcomes = await readAll(parts, due)
        // A power cut can undo this commit. The asset is then `ingesting` and read again.
        await commits.writeUnflushed(() => {
          for (const outcome of outcomes) {
            if (outcome.needs_child) assets.passToChild(outcome.asset)
            else assets.finishIngest(outcome.asset, outcome)
          }
        })
        if (outcomes.some(({ needs_child }) => needs_child)) parts.wake.documents()
      }
      if (due.length > 1 && due.length < concurrency) await system_clock.sleep(gather_ms, signal)
      if (forgotten.length + due.length > 0) return { wait_ms: 0 }
      const next_ms = assets.nextIngestDue()
      return {
        wait_ms: next_ms === undefined ? idle_ms : Math.min(idle_ms, next_ms - clock.now_ms()),
      }
    },
  })
}

async function readAll(parts: Parts, due: readonly AssetRow[]): Promise<ReadOutcome[]> {
  const outcomes = await readTogether(parts, due)
  for (const [at, { unreadable }] of outcomes.entries()) {
    if (unreadable !== undefined) parts.log(failedText(due[at]!, unreadable))
  }
  return outcomes
}

/** A slot with bytes is kept this long after its URL expired: the client may be offline. */
const unused_kept_ms = 24 * hour_ms
/** The rest between two sweeps. An expired slot costs only a row, so there is no hurry. */
const sweep_each_ms = minute_ms
const max_swept = 500

/**
 * Removes slots that were not completed: without bytes when their URL has expired, with bytes
 * `unused_kept_ms` later (B-10). The hosted profile keeps them for ever (E-04).
 */
export function runSlotSweep(parts: Parts): Worker {
  return runWorker({
    ...parts,
    name: 'slot sweep',
    async step() {
      const swept = parts.profile.dedup_reservations ? 0 : await sweepSlots(parts)
      return { wait_ms: swept === max_swept ? 0 : sweep_each_ms }
    },
  })
}

async function sweepSlots(parts: Parts): Promise<number> {
  const { assets, clock, uploading } = parts
  const now_ms = clock.now_ms()
  let swept = 0
  for (const slot of assets.expired(now_ms, now_ms - unused_kept_ms, max_swept)) {
    const stillIdle = () => {
      const row = assets.bySeq(slot.seq)
      return row?.status === 'uploaded' && !uploading.has(row.asset_id) ? row : undefined
    }
    if (await removeAsset(parts, stillIdle)) swept++
  }
  return swept
}
