import { isSluiceError } from '../base/errors.ts'
import { type DocumentReader, openDocumentReader } from './ingest-documents.ts'
import type { Parts } from './parts.ts'
import type { AssetToRead } from './reader-thread.ts'

/** Read in one transaction. */
const batch_most = 64

/**
 * Brings the index up to what is called ready, before anybody can ask: after its file was removed, restored from an older copy or
 * cut short by the power, an asset would otherwise be ready and never found. Answers how many were read again; error
 * `database.…` or `thread.failed` when the index cannot be used at all.
 */
export async function completeIndex(parts: Parts): Promise<number> {
  const { reader, log } = parts
  // Of its own: the others read already what waits.
  const documents = openDocumentReader(parts)
  let after = 0
  let read = 0
  try {
    for (;;) {
      const missing = await reader.ask('missing', { after, most: batch_most })
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
