import { printable } from '../../base/text/format.ts'
import type { Parts } from '../parts.ts'
import type { AssetRow } from '../store/store-assets.ts'
import { isThreadDeath } from './reader.ts'
import type { AssetToRead, ReadOutcome } from './reader-thread.ts'

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
    try {
      outcomes.push(...(await reader.ask('read', [asset])))
    } catch (error) {
      if (!isThreadDeath(error) || signal.aborted) throw error
      outcomes.push({ asset: asset.asset, unreadable: 'the thread that read it ended' })
    }
  }
  return outcomes
}

/** The line for the operator about a file that failed. */
export function failedText(row: AssetRow, why: string): string {
  return `${fileText(row)} failed, it cannot be read: ${why}`
}

/** An asset for people: its name, and the id for the interface. */
export function fileText({ name, filename, asset_id }: AssetRow): string {
  return `the file ${printable(name ?? filename)} (${asset_id})`
}
