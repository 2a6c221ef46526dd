import { second_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'

/** Time until an answer that could not be written is written again. */
const write_retry_ms = 5 * second_ms

/**
 * Writes what a model has answered, again and again until it is on the disk. A full disk stays full
 * for a while, and no model is to be asked again for that. Undefined if the service stops first.
 */
export async function keepWriting<Result>(
  { commits, clock, signal, on_error }: Parts,
  write: () => Result,
): Promise<Result | undefined> {
  while (!signal.aborted) {
    try {
      return await commits.write(write)
    } catch (error) {
      if (!signal.aborted) on_error(error)
      await clock.sleep(write_retry_ms, signal)
    }
  }
  return undefined
}
