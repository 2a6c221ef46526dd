import { join } from 'node:path'
import { type Clock, minute_ms } from '../base/time.ts'
import { runWorker } from '../base/worker.ts'
import type { CommitGroup } from './commit-group.ts'
import type { IngestOptions } from './options.ts'
import type { Reader } from './reader.ts'
import type { AssetToRead, ReadOutcome } from './reader-messages.ts'
import { keepReadingProcess } from './reading-process.ts'
import type { AssetRow, AssetStore } from './store-assets.ts'
import type { ObjectStore } from './store-objects.ts'

/** Reads one document in a child process and puts its text into the index. */
export interface DocumentReader {
  read(asset: AssetToRead): Promise<ReadOutcome>
  /** The most memory that its processes have taken, in bytes. */
  readonly peak_bytes: number
  end(): Promise<void>
}

export interface DocumentReaderParts {
  objects: ObjectStore
  reader: Reader
  paths: { objects: string }
  settings: Required<IngestOptions>
}

export function openDocumentReader({ objects, reader, paths, settings }: DocumentReaderParts): DocumentReader {
  const child = keepReadingProcess(settings)
  return {
    async read({ asset, project, filename, mime_type }) {
      const place = objects.placeOf(asset)
      if (!place) return { asset, unreadable: 'its bytes are gone' }
      const named_place = 'file' in place ? { path: join(paths.objects, place.file) } : place
      const found = await child.read({ filename, mime_type, place: named_place })
      if ('unreadable' in found) return { asset, ...found }
      return await reader.ask('index', { asset, project, text: found.text })
    },
    get peak_bytes() {
      return child.peak_bytes
    },
    end: child.end,
  }
}

export interface DocumentParts {
  assets: AssetStore
  commits: CommitGroup
  clock: Clock
  signal: AbortSignal
  log: (line: string) => void
  on_error: (error: unknown) => void
}

export interface DocumentWorkers {
  wake(): void
  readonly ended: Promise<unknown>
}

/** Nothing is due: a process that rests this long is ended, it holds 50 MB. */
const idle_ms = minute_ms

/**
 * Takes the assets that only a child process may read from `ingesting` to `ready` or `failed`, with as many workers as there
 * are readers: one file that takes long holds up no other. The rows are the queue, as they are for what is read at once.
 */
export function runDocuments(parts: DocumentParts, readers: readonly DocumentReader[]): DocumentWorkers {
  const in_hand = new Set<number>()
  const next = () => parts.assets.dueForChild(parts.clock.now_ms(), readers.length).find(({ seq }) => !in_hand.has(seq))
  const workers = readers.map((reader, at) => {
    let has_rested = false
    return runWorker({
      name: `documents ${at + 1}`,
      clock: parts.clock,
      signal: parts.signal,
      on_error: parts.on_error,
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
  { assets, commits, log }: DocumentParts,
  reader: DocumentReader,
  asset: AssetRow,
): Promise<void> {
  const { seq, asset_id, project, filename, mime_type } = asset
  const { unreadable } = await reader.read({ asset: seq, project, filename, mime_type })
  // Taken back by a power cut, the asset reads `ingesting` again and is read again.
  await commits.writeUnflushed(() => assets.finishIngest(seq, unreadable === undefined ? 'ready' : 'failed'))
  if (unreadable !== undefined) log(`${asset_id} failed: ${unreadable}`)
}
