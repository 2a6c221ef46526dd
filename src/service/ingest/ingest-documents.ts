import { join } from 'node:path'
import { isSluiceError } from '../../base/run/errors.ts'
import { runWorker } from '../../base/run/worker.ts'
import { minute_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import type { AssetToRead, ReadOutcome } from '../reading/reader-thread.ts'
import { keepReadingProcess } from '../reading/reading-process.ts'
import type { AssetRow } from '../store/store-assets.ts'

type DocumentReader = ReturnType<typeof openDocumentReader>

/** Reads documents in child processes, one at a time, and puts their text into the index. */
export function openDocumentReader({ objects, reader, paths, settings }: Parts) {
  const child = keepReadingProcess(settings.ingest)
  return {
    async read({ asset, project, filename, mime_type }: AssetToRead): Promise<ReadOutcome> {
      const place = objects.placeOf(asset)
      if (!place) return { asset, unreadable: 'its bytes are gone' }
      const named_place = 'file' in place ? { path: join(paths.objects, place.file) } : place
      const found = await child.read({ filename, mime_type, place: named_place })
      if ('unreadable' in found) return { asset, ...found }
      return await reader.ask('index', { asset, project, text: found.text })
    },
    /** The most memory that its processes have taken, in bytes. */
    get peak_bytes() {
      return child.peak_bytes
    },
    end: child.end,
  }
}

/** Nothing is due: a process that rests this long is ended, it holds 50 MB. */
const idle_ms = minute_ms

/**
 * Takes the assets that only a child process may read from `ingesting` to `ready` or `failed`, with as many workers as there
 * are readers: one file that takes long holds up no other. The rows are the queue, as they are for what is read at once.
 */
export function runDocuments(parts: Parts, readers: readonly DocumentReader[]) {
  const in_hand = new Set<number>()
  const next = () =>
    parts.assets.dueForIngest(parts.clock.now_ms(), readers.length, 'child').find(({ seq }) => !in_hand.has(seq))
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

async function readOne({ assets, commits, log }: Parts, reader: DocumentReader, asset: AssetRow): Promise<void> {
  const { seq, asset_id, project, filename, mime_type } = asset
  const { unreadable } = await reader.read({ asset: seq, project, filename, mime_type })
  // Taken back by a power cut, the asset reads `ingesting` again and is read again.
  await commits.writeUnflushed(() => assets.finishIngest(seq, unreadable === undefined ? 'ready' : 'failed'))
  if (unreadable !== undefined) log(`${asset_id} failed: ${unreadable}`)
}

/** Read in one transaction. */
const max_batch = 64

/**
 * Brings the index up to what is called ready, before anybody can ask: after its file was removed, restored from an older copy or
 * cut short by the power, an asset would otherwise be ready and never found. Answers how many were read again; error
 * `database.…` or `thread.failed` when the index cannot be used at all.
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
        else log(`asset number ${row.asset} is ready but cannot be read again: ${unreadable}`)
      }
      after = last.asset
    }
  } finally {
    await documents.end()
  }
  if (read > 0) log(`the index of passages was behind: ${read} assets were read again`)
  return read
}

/** Without child processes the rest of the index is still made. */
async function readDocument(documents: DocumentReader, asset: AssetToRead): Promise<{ unreadable?: string }> {
  try {
    return await documents.read(asset)
  } catch (error) {
    if (!isSluiceError(error, 'service.reading_process')) throw error
    return { unreadable: error.message }
  }
}
