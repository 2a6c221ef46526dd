import type { Reader } from './reader.ts'

/** Read in one transaction. */
const batch_most = 64

/**
 * Brings the index up to what is called ready, before anybody can ask: after its file was removed, restored from an older copy or
 * cut short by the power, an asset would otherwise be ready and never found. Answers how many were read again; error
 * `database.…` or `thread.failed` when the index cannot be used at all.
 */
export async function completeIndex(reader: Reader, log: (line: string) => void): Promise<number> {
  let after = 0
  let read = 0
  for (;;) {
    const missing = await reader.ask('missing', { after, most: batch_most })
    const last = missing.at(-1)
    if (!last) break
    for (const { asset, unreadable } of await reader.ask('read', missing)) {
      if (unreadable === undefined) read++
      else log(`asset number ${asset} is ready but cannot be read again: ${unreadable}`)
    }
    after = last.asset
  }
  if (read > 0) log(`the index of passages was behind: ${read} assets were read again`)
  return read
}
