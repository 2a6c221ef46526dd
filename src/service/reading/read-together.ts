import { printable } from '../../base/text/format.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { isThreadDeath } from './reader.ts'
import type { AssetToRead, ReaderCalls, ReadOutcome } from './reader-thread.ts'

export function toRead({ seq, project, filename, mime_type }: AssetRow): AssetToRead {
  return { asset: seq, project, filename, mime_type }
}

/** The first rows with at most `max_bytes` in total; always at least one row. */
export function withinBytes(rows: readonly AssetRow[], max_bytes: number): readonly AssetRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.size_in_bytes
    return index > 0 && bytes > max_bytes
  })
  return end < 0 ? rows : rows.slice(0, end)
}

/**
 * Reads files in the reading thread, in one transaction of the index. If one of them ends the
 * thread, reads each alone, so that only that one is unreadable. Outcomes are in the order of
 * `rows`.
 */
export async function readTogether(
  { reader, signal }: Pick<Parts, 'reader' | 'signal'>,
  rows: readonly AssetRow[],
): Promise<ReadOutcome[]> {
  const wanted = rows.map(toRead)
  try {
    return await reader.ask('read', wanted)
  } catch (error) {
    if (!isThreadDeath(error) || signal.aborted) throw error
  }
  const outcomes: ReadOutcome[] = []
  for (const asset of wanted) {
    const readOne = () => reader.ask('read', [asset])
    outcomes.push(...(await readAlone(readOne, asset.asset, signal)))
  }
  return outcomes
}

/** Puts the text of a document into the index. Another file may have ended the thread meanwhile. */
export async function indexDocument(
  { reader, signal }: Pick<Parts, 'reader' | 'signal'>,
  found: ReaderCalls['index']['argument'],
): Promise<ReadOutcome> {
  const index = async () => [await reader.ask('index', found)]
  try {
    return (await index())[0]!
  } catch (error) {
    if (!isThreadDeath(error) || signal.aborted) throw error
  }
  return (await readAlone(index, found.asset, signal))[0]!
}

/** A file that ends the thread with no other one beside it is unreadable. */
async function readAlone(
  read: () => Promise<ReadOutcome[]>,
  asset: number,
  signal: AbortSignal,
): Promise<ReadOutcome[]> {
  try {
    return await read()
  } catch (error) {
    if (!isThreadDeath(error) || signal.aborted) throw error
    return [{ asset, unreadable: 'the thread that read it ended' }]
  }
}

/** The line for the operator about a file that failed. */
export function failedText(row: AssetRow, why: string): string {
  return `${fileText(row)} failed, it cannot be read: ${why}`
}

/** An asset for people: its name, and the id for the interface. */
export function fileText({ name, filename, asset_id }: AssetRow): string {
  return `the file ${printable(name ?? filename)} (${asset_id})`
}
