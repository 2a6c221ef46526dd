import { counted } from '../../base/text/format.ts'
import type { AssetReading } from '../../contract/messages/messages-assets.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { readTogether, withinBytes } from './read-together.ts'
import type { ReadOutcome } from './reader-thread.ts'

/** Files read again at once. New files and questions wait for one such batch at most. */
const max_batch = 64
const max_batch_bytes = 1024 * 1024

/** Reads a document in a child process. Undefined: it cannot be read now, and stays as it is. */
type ReadDocument = (row: AssetRow) => Promise<ReadOutcome | undefined>

/**
 * Reads ready assets again and records what was read now. No asset leaves `ready` (B-38). The index
 * changes first: after a kill between the two, the files are read once more.
 */
export async function readAgain(
  parts: Parts,
  rows: readonly AssetRow[],
  readDocument: ReadDocument,
): Promise<Map<AssetRow, AssetReading>> {
  const { reader, commits, assets } = parts
  const outcomes = await readTogether(parts, rows)
  const readings = new Map<AssetRow, AssetReading>()
  try {
    for (const [at, row] of rows.entries()) {
      const first = outcomes[at]!
      const outcome = first.needs_child ? await readDocument(row) : first
      if (outcome) readings.set(row, readingAgain(row.reading, outcome))
    }
  } finally {
    // If a document stopped this, the files before it need not be read once more.
    const lost = [...readings].filter(([, { seen }]) => seen === 0).map(([row]) => row)
    if (lost.length > 0) {
      await reader.ask(
        'empty',
        lost.map(({ seq, project }) => ({ asset: seq, project })),
      )
    }
    await commits.writeUnflushed(() => {
      for (const [{ seq }, reading] of readings) assets.noteReading(seq, reading)
    })
  }
  return readings
}

/**
 * What a record says after a further reading. `before`: its reading as JSON.
 *
 * @internal
 */
export function readingAgain(
  before: string | null,
  { reading, unreadable }: Pick<ReadOutcome, 'reading' | 'unreadable'>,
): AssetReading {
  if (reading) return reading
  const known = before === null ? undefined : (JSON.parse(before) as AssetReading)
  return { of: known?.of ?? 1, seen: 0, unit: known?.unit ?? 'part', why: unreadable }
}

/**
 * The queue of files that an earlier reader read, worked off while nothing new waits. The rows of
 * the database are the queue, so a kill loses nothing of it.
 */
export class EarlierFiles {
  readonly #parts: Parts
  #has_begun = false
  #read = 0
  #lost = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Reads the next few again. Returns false if there are none. */
  async step(readDocument: ReadDocument): Promise<boolean> {
    const { assets, log } = this.#parts
    const batch = nextBatch(assets.readEarlier(max_batch))
    if (batch.length === 0) {
      if (this.#has_begun) log(endText(this.#read, this.#lost))
      this.#has_begun = false
      return false
    }
    if (!this.#has_begun) log(beginText(assets.countReadEarlier()))
    this.#has_begun = true
    const readings = await readAgain(this.#parts, batch, readDocument)
    this.#read += readings.size
    for (const { seen } of readings.values()) if (seen === 0) this.#lost++
    return true
  }
}

/** Rows within the limits of a batch. One that needs a process, which may be slow, ends it. */
function nextBatch(rows: readonly AssetRow[]): readonly AssetRow[] {
  const batch = withinBytes(rows, max_batch_bytes)
  const document = batch.findIndex(({ needs_child }) => needs_child === 1)
  return document < 0 ? batch : batch.slice(0, document + 1)
}

function beginText(count: number): string {
  return `${counted(count, 'file')} of an earlier version will be read again, behind all new files`
}

function endText(read: number, lost: number): string {
  const left_out =
    lost === 0 ? '' : `; answers leave out ${lost} of them, and their records say why`
  return `${counted(read, 'file')} of an earlier version read again${left_out}`
}
