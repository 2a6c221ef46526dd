import { join } from 'node:path'
import { isSluiceError } from '../../base/run/errors.ts'
import { runWorker } from '../../base/run/worker.ts'
import { minute_ms, second_ms } from '../../base/time/time.ts'
import type { Extracted } from '../ingest/extract-document.ts'
import type { Recognition } from '../ingest/picture-pages.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { judgeByPrograms } from './judge-programs.ts'
import { EarlierFiles, readAgain } from './read-again.ts'
import { failedText, fileText, indexDocument, toRead } from './read-together.ts'
import type { AssetToRead, ReadOutcome } from './reader-thread.ts'
import { keepReadingProcess } from './reading-process.ts'

type Judged = ReturnType<typeof judgeByPrograms>
export type DocumentReader = ReturnType<typeof openDocumentReader>

/** Reads documents in a child process, one at a time, and puts their text into the index. */
export function openDocumentReader(parts: Parts) {
  const { objects, paths, settings, pictures, programs } = parts
  const child = keepReadingProcess(settings.ingest)

  async function readAs(
    { asset, filename, mime_type }: AssetToRead,
    recognition: Recognition,
  ): Promise<Extracted> {
    const place = objects.placeOf(asset)
    if (!place) return { unreadable: 'its bytes are gone' }
    const named_place = 'file' in place ? { path: join(paths.objects, place.file) } : place
    return await child.read({ filename, mime_type, place: named_place, recognition })
  }

  return {
    async read(file: AssetToRead): Promise<Judged> {
      const { asset, project } = file
      const done = pictures.done(asset)
      const goes_on = programs.stateOf('pdf') === 'installed'
      const found = await readAs(file, { done, goes_on })
      const outcome =
        'unreadable' in found ? found : await indexDocument(parts, { ...found, asset, project })
      const { for_programs } = found
      const recognised = done.map(({ page }) => page)
      const all = { ...outcome, asset, recognised, ...(for_programs && { for_programs }) }
      return judgeByPrograms(all, programs)
    },
    readFile: (path: string) => child.read({ filename: path, mime_type: '', place: { path } }),
    /** The bytes of the document of this number in an asset; none if they are gone. */
    async bytesIn(file: AssetToRead, wanted: number): Promise<Buffer> {
      const found = await readAs(file, { done: [], goes_on: false, wanted })
      return found.wanted ?? Buffer.alloc(0)
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
/** The rest of the queue of earlier files while new ones wait for the reading thread. */
const new_first_ms = second_ms

/**
 * Takes assets that need a child process from `ingesting` to `ready` or `failed`. Each reader has a
 * worker, so that a slow file does not block the others. The database rows are the queue. The last
 * worker also reads earlier files again: with two, a new document never waits for one of them.
 */
export function runDocuments(parts: Parts, readers: readonly DocumentReader[]) {
  const in_hand = new Set<number>()
  const earlier = new EarlierFiles(parts)
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
          await readAsset(parts, reader, due).finally(() => in_hand.delete(due.seq))
          return { wait_ms: 0 }
        }
        if (at === readers.length - 1) {
          if (parts.assets.dueForIngest(parts.clock.now_ms(), 1, 'thread').length > 0)
            return { wait_ms: new_first_ms }
          if (await earlier.step((row) => reader.read(toRead(row)))) {
            has_rested = false
            return { wait_ms: 0 }
          }
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

/** Reads an asset that is `ingesting`, and records what becomes of it. */
export async function readAsset(
  parts: Parts,
  reader: DocumentReader,
  asset: AssetRow,
): Promise<void> {
  await recordRead(parts, asset, await reader.read(toRead(asset)))
}

async function recordRead(parts: Parts, asset: AssetRow, outcome: Judged): Promise<void> {
  const { assets, pictures, commits, log, wake } = parts
  const { for_programs, recognised = [], unreadable } = outcome
  let has_failed = unreadable !== undefined
  // A power cut can undo this commit. The asset then shows `ingesting` again and is read again.
  await commits.writeUnflushed(() => {
    pictures.indexed(asset.seq, recognised)
    if (for_programs) pictures.queue(asset.seq, for_programs)
    const waits = outcome.waits === true && pictures.countWaiting(asset.seq) > 0
    has_failed &&= !waits
    if (waits) assets.waitForPrograms(asset.seq)
    else assets.finishIngest(asset.seq, outcome)
    if (has_failed) pictures.drop(asset.seq)
  })
  if (for_programs) wake.recognition()
  if (has_failed) log(failedText(asset, unreadable ?? ''))
}

/** The most assets that `completeIndex` reads in one transaction. */
const max_batch = 64

/**
 * Reads ready assets that the index lacks. It runs before the service accepts calls. The index file
 * may be lost, restored from an older copy, or cut short by a power cut. Returns the number of
 * assets read. Error `database.…` or `thread.failed` if the index cannot be used.
 */
export async function completeIndex(parts: Parts): Promise<number> {
  const { assets, reader, log } = parts
  const documents = openDocumentReader(parts)
  let after = 0
  let read = 0
  try {
    for (;;) {
      const missing = await reader.ask('missing', { after, limit: max_batch })
      const last = missing.at(-1)
      if (!last) break
      const rows = missing.flatMap(({ asset }) => assets.bySeq(asset) ?? [])
      const found = await readAgain(parts, rows, (row) => readIfPossible(documents, row))
      for (const { row, unreadable, for_programs } of found) {
        if (unreadable === undefined) read++
        else if (for_programs === undefined)
          log(`${fileText(row)} cannot be read again, and answers leave it out: ${unreadable}`)
      }
      after = last.asset
    }
  } finally {
    await documents.end()
  }
  if (read > 0) log(`the index of passages was incomplete: ${read} assets were read again`)
  return read
}

/** If no child process can start, the next start tries this document again. */
async function readIfPossible(documents: DocumentReader, row: AssetRow): Promise<ReadOutcome> {
  try {
    return await documents.read(toRead(row))
  } catch (error) {
    if (!isSluiceError(error, 'service.reading_process')) throw error
    return { asset: row.seq, unreadable: error.message, is_local: true }
  }
}
