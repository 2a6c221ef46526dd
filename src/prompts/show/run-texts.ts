import { printable } from '../../base/text/format.ts'
import { cronWords } from '../../base/time/cron-words.ts'
import { clockText } from '../../base/time/time.ts'
import type { DeliveryView } from '../../ledger/views/view-prompts.ts'
import type { Schedule } from '../prompt-settings.ts'
import { type Configured, receiverOf } from './find-run.ts'

export function deliveryText(delivery: DeliveryView, config: Configured): string {
  const { state, attempts, not_before_ms, error } = delivery
  const why = error === undefined ? '' : `: ${printable(error.message)}`
  const name = `delivery ${printable(receiverOf(delivery, config))}`
  if (state === 'done') return `${name}: delivered`
  if (state === 'failed') return `${name}: given up${why}`
  if (attempts === 0) return `${name}: not tried yet`
  return `${name}: failed ${attempts} ${attempts === 1 ? 'time' : 'times'}, tried again ${clockText(not_before_ms)}${why}`
}

/** A schedule in words, with its zone. */
export function scheduleText({ cron, timezone }: Schedule): string {
  return `${cronWords(cron)} (${timezone})`
}
