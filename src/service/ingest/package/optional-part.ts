import { isSluiceError } from '../../../base/run/errors.ts'
import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'

/** Where a broken part is noted. */
export type Faults = Pick<DocumentText, 'noteFault'>

/**
 * Reads parts that a document can do without, which are all but its main part, and notes those that
 * are broken or missing. Limits and encryption concern the whole document, and throw.
 */
export async function readOptional(
  archive: Archive,
  parts: readonly string[],
  faults: Faults,
  read: (part: string) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    try {
      await read(part)
    } catch (error) {
      if (isSluiceError(error) && error.code !== 'ingest.broken') throw error
      faults.noteFault(`is broken (${part}${archive.has(part) ? '' : ' is missing'})`)
    }
  }
}
