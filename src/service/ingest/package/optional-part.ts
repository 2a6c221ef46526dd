import { isSluiceError } from '../../../base/run/errors.ts'
import type { DocumentText } from '../document-text.ts'

/** Where a broken part is noted. */
export type Faults = Pick<DocumentText, 'noteFault'>

/**
 * Reads parts that a document can do without, and notes broken ones. Limits and encryption concern
 * the whole document, and throw.
 */
export async function readOptional(
  parts: readonly string[],
  faults: Faults,
  read: (part: string) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    try {
      await read(part)
    } catch (error) {
      if (isSluiceError(error) && error.code !== 'ingest.broken') throw error
      faults.noteFault(`is broken (${part})`)
    }
  }
}
