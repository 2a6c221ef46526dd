import { messageOf, SluiceError } from '../../../base/run/errors.ts'
import type { DocumentText } from '../document-text.ts'

/**
 * Reads a part that a document can do without, and notes a broken one in the present unit. Limits
 * and encryption concern the whole document, and throw.
 */
export async function readOptional(
  part: string,
  text: Pick<DocumentText, 'noteFault'>,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (error instanceof SluiceError && !messageOf(error).startsWith('broken')) throw error
    text.noteFault(`is broken (${part})`)
  }
}
