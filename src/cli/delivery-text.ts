import { printable } from '../base/format.ts'
import { isoTime } from '../base/time.ts'
import type { DeliveryView } from '../ledger/view-prompts.ts'

/** One delivery of a run, in a line: where it stands, and its last error. */
export function deliveryText({ target, state, attempts, not_before_ms, error }: DeliveryView): string {
  const why = error === undefined ? '' : `: ${printable(error.message)}`
  const name = `delivery ${printable(target)}`
  if (state === 'done') return `${name}: delivered`
  if (state === 'failed') return `${name}: given up${why}`
  if (attempts === 0) return `${name}: not tried yet`
  return `${name}: failed ${attempts} ${attempts === 1 ? 'time' : 'times'}, tried again ${isoTime(not_before_ms)}${why}`
}
