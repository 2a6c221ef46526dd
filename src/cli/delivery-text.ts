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

/** The end of what its command wrote, a line each, as far as it may stand on a terminal. */
export function outputLines({ output }: Pick<DeliveryView, 'output'>): string[] {
  return output === undefined || output === '' ? [] : output.split('\n').map((line) => `  | ${printable(line)}`)
}
