import type { RunAsset } from '../../domain/run.ts'
import { asksForEveryFile } from './question.ts'

/** The text in one call. Only the service knows the text; here a byte counts as a character. */
const batch_chars = 60_000
/** Calls for one question, as the local service allows by default (`assistant.max_calls`). */
const max_calls = 40

/** About how many calls of a model these turns take: a search one, whole reading one a batch. */
export function aboutCalls(bodies: readonly string[], assets: readonly RunAsset[]): number {
  const each = bodies.map((body, turn) =>
    asksForEveryFile(body) ? callsFor(assets.filter((asset) => asset.turn === turn)) : 1,
  )
  return each.reduce((sum, calls) => sum + calls, 0)
}

/** Most of a large file is no text: none counts for more than a batch. */
function callsFor(files: readonly Pick<RunAsset, 'size'>[]): number {
  let batches = 1
  let left = batch_chars
  for (const { size } of files) {
    const chars = Math.min(size, batch_chars)
    if (chars > left) {
      batches += 1
      left = batch_chars
    }
    left -= chars
  }
  return batches === 1 ? 1 : Math.min(max_calls, batches + 1)
}
