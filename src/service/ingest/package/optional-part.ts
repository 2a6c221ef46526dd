import { isSluiceError } from '../../../base/run/errors.ts'
import type { DocumentText } from '../document-text.ts'

/** Where a broken part is noted. */
export type Faults = Pick<DocumentText, 'noteFault'>

/**
 * Reads a part that a document can do without, and notes a broken one. Limits and
 * encryption concern the whole document, and throw.
 */
export async function readOptional(
  part: string,
  faults: Faults,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (isSluiceError(error) && error.code !== 'ingest.broken') throw error
    faults.noteFault(`is broken (${part})`)
  }
}
