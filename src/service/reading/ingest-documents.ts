import { join } from 'node:path'
import { isSluiceError } from '../../base/run/errors.ts'
import { runWorker } from '../../base/run/worker.ts'
import { minute_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import type { AssetToRead, ReadOutcome } from './reader-thread.ts'
import { keepReadingProcess } from './reading-process.ts'

type DocumentReader = ReturnType<typeof openDocumentReader>

/** Reads documents in a child process, one at a time, and puts their text into the index. */
export function openDocumentReader({ objects, reader, paths, settings }: Parts) {
  const child = keepReadingProcess(settings.ingest)
  return {
    async read({ asset, project, filename, mime_type }: AssetToRead): Promise<ReadOutcome> {
      const place = objects.placeOf(asset)
      if (!place) return { asset, unreadable: 'its bytes are gone' }
      const named_place = 'file' in place ? { path: join(paths.objects, place.file) } : place
      const found = await child.read({ filename, mime_type, place: named_place })
      if ('unreadable' in found) return { asset, ...found }
      return await reader.ask('index', { asset, project, ...found })
    },
    /** Bytes. The most memory that one of its processes has used. */
    get peak_bytes() {
      return child.peak_bytes
    },
    end: child.end,
  }
}

/** A process without work ends after about this time, because it uses 50 MB. */
const idle_ms = minute_ms

/**
 * Takes assets that need a child process from `ingesting` to `ready` or `failed`. Each reader has a
 * worker, so that a slow file does not block the others. The database rows are the queue.
 */
export function runDocuments(parts: Parts, readers: readonly DocumentReader[]) {
  const in_hand = new Set<number>()
  const next = () =>
    parts.assets
      .dueForIngest(parts.clock.now_ms(), readers.length, 'child')
      .find(({ seq }) => !in_hand.has(seq))
  const workers = readers.map((reader, at) => {
    let has_rested = false
    return runWorker({
      ...parts,
      name: `documents ${at + 1}`,
      async step() {
        const due = next()
        if (due) {
          has_rested = false
          in_hand.add(due.seq)
          await readOne(parts, reader, due).finally(() => in_hand.delete(due.seq))
          return { wait_ms: 0 }
        }
        if (has_rested) await reader.end()
        has_rested = true
        return { wait_ms: idle_ms }
      },
    })
  })
  return {
    wake: () => {
      for (const worker of workers) worker.wake()
    },
    ended: Promise.all(workers.map(({ ended }) => ended)),
  }
}

async function readOne(
  { assets, commits, log }: Parts,
  reader: DocumentReader,
  asset: AssetRow,
): Promise<void> {
  const { seq, asset_id, project, filename, mime_type } = asset
  const outcome = await reader.read({ asset: seq, project, filename, mime_type })
  // A power cut can undo this commit. The asset then shows `ingesting` again and is read again.
  await commits.writeUnflushed(() => assets.finishIngest(seq, outcome))
  if (outcome.unreadable !== undefined)
    log(`the asset ${asset_id} failed, its file cannot be read: ${outcome.unreadable}`)
}

/** The most assets that `completeIndex` reads in one transaction. */
const max_batch = 64

/**
 * Reads ready assets that the index lacks. It runs before the service accepts calls. The index file
 * may be lost, restored from an older copy, or cut short by a power cut. Returns the number of
 * assets read. Error `database.…` or `thread.failed` if the index cannot be used.
 */
export async function completeIndex(parts: Parts): Promise<number> {
  const { reader, log } = parts
  const documents = openDocumentReader(parts)
  let after = 0
  let read = 0
  try {
    for (;;) {
      const missing = await reader.ask('missing', { after, limit: max_batch })
      const last = missing.at(-1)
      if (!last) break
      for (const outcome of await reader.ask('read', missing)) {
        const row = missing.find(({ asset }) => asset === outcome.asset)!
        const { unreadable } = outcome.needs_child ? await readDocument(documents, row) : outcome
        if (unreadable === undefined) read++
        else
          log(
            `the asset number ${row.asset} is ready but cannot be read again, so no search finds its text: ${unreadable}`,
          )
      }
      after = last.asset
    }
  } finally {
    await documents.end()
  }
  if (read > 0) log(`the index of passages was incomplete: ${read} assets were read again`)
  return read
}

/** If no child process can start, the document is left out, and the rest of the index is made. */
async function readDocument(
  documents: DocumentReader,
  asset: AssetToRead,
): Promise<{ unreadable?: string }> {
  try {
    return await documents.read(asset)
  } catch (error) {
    if (!isSluiceError(error, 'service.reading_process')) throw error
    return { unreadable: error.message }
  }
}
