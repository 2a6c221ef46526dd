import { counted } from '../../base/text/format.ts'
import type { AssetReading } from '../../contract/messages/messages-assets.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { readTogether, withinBytes } from './read-together.ts'
import type { ReadOutcome } from './reader-thread.ts'

/** Files read again at once. New files and questions wait for one such batch at most. */
const max_batch = 64
const max_batch_bytes = 1024 * 1024

/** What a further reading of an asset found. Without `reading`, its record stays as it is. */
interface FoundAgain extends Omit<ReadOutcome, 'reading'> {
  row: AssetRow
  reading: AssetReading | undefined
}

/**
 * Reads ready assets again and records what was read now. No asset leaves `ready` (B-38). The index
 * changes first: after a kill between the two, the files are read once more. `readDocument`: reads
 * one in a child process.
 */
export async function readAgain(
  parts: Parts,
  rows: readonly AssetRow[],
  readDocument: (row: AssetRow) => Promise<ReadOutcome>,
): Promise<readonly FoundAgain[]> {
  const { reader, commits, assets, pictures, wake } = parts
  const outcomes = await readTogether(parts, rows)
  const found: FoundAgain[] = []
  try {
    for (const [at, row] of rows.entries()) {
      const first = outcomes[at]!
      const outcome = first.needs_child ? await readDocument(row) : first
      found.push({ ...outcome, row, reading: readingAgain(row.reading, outcome) })
    }
  } finally {
    // If a document stopped this, the files before it need not be read once more.
    const lost = found.filter(({ reading }) => reading?.seen === 0)
    if (lost.length > 0) {
      await reader.ask(
        'empty',
        lost.map(({ row: { seq, project } }) => ({ asset: seq, project })),
      )
    }
    await commits.writeUnflushed(() => {
      for (const { row, reading, recognised, for_programs } of found) {
        assets.noteReading(row.seq, reading)
        if (recognised) pictures.indexed(row.seq, recognised)
        if (for_programs) pictures.queue(row.seq, for_programs)
      }
    })
    if (found.some(({ for_programs }) => for_programs)) wake.recognition()
  }
  return found
}

/**
 * What a record says after a further reading. `before`: its reading as JSON. Undefined: it stays,
 * because this machine is the cause that nothing was read, and its passages may still be good.
 *
 * @internal
 */
export function readingAgain(
  before: string | null,
  { reading, unreadable, is_local }: Omit<ReadOutcome, 'asset'>,
): AssetReading | undefined {
  if (reading) return reading
  if (is_local) return undefined
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
  #kept = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Reads the next few again. Returns false if there are none. */
  async step(readDocument: (row: AssetRow) => Promise<ReadOutcome>): Promise<boolean> {
    const { assets, pictures, log } = this.#parts
    const batch = nextBatch(assets.readEarlier(max_batch))
    if (batch.length === 0) {
      if (this.#has_begun) log(this.#endText())
      this.#has_begun = false
      return false
    }
    if (!this.#has_begun) log(beginText(assets.countReadEarlier()))
    this.#has_begun = true
    for (const { seq } of batch) pictures.dropConverted(seq)
    for (const { reading } of await readAgain(this.#parts, batch, readDocument)) {
      this.#read++
      if (reading === undefined) this.#kept++
      else if (reading.seen === 0) this.#lost++
    }
    return true
  }

  #endText(): string {
    const texts = [`${counted(this.#read, 'file')} of an earlier version read again`]
    if (this.#lost > 0)
      texts.push(`answers leave out ${this.#lost} of them, and their records say why`)
    if (this.#kept > 0)
      texts.push(
        `${this.#kept} stay as they were, because this machine lacks what reads them: \`npm install\` without --omit=optional, or the Debian packages that \`sluice doctor\` names`,
      )
    return texts.join('; ')
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
