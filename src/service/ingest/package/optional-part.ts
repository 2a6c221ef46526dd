import { messageOf, SluiceError } from '../../../base/run/errors.ts'

/**
 * Reads a part that a document can do without. Returns what is wrong with it, to continue
 * "part 3 …"; limits and encryption concern the whole document, and throw.
 */
export async function faultOf(
  part: string,
  read: () => Promise<void>,
): Promise<string | undefined> {
  try {
    await read()
    return undefined
  } catch (error) {
    if (error instanceof SluiceError && !messageOf(error).startsWith('broken')) throw error
    return `is broken (${part})`
  }
}
