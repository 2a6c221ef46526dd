import type { FaultNote } from '../base/run/errors.ts'
import { backoff_ms } from '../base/time/time.ts'
import { deliver } from '../deliver/deliver.ts'
import type { DeliveryTools, Message } from '../deliver/message.ts'
import type { DeliveryTarget } from '../deliver/target.ts'
import { type DeliveryFact, deliveryKey, deliveryName } from '../domain/delivery.ts'
import type { DeliveryWork } from '../ledger/prompt-work.ts'
import { alertMessage, reportMessage } from './report/report.ts'
import { nameOf, type RunTools } from './run-tools.ts'
import { startPool, type WorkPool } from './work-pool.ts'

export interface DelivererTools extends DeliveryTools {
  /** Receivers of alerts. */
  alerts: readonly DeliveryTarget[]
}

/** Parallel deliveries of reports, each with a message and a connection or process. */
const reports_at_once = 8
/** Places for alerts only: hanging receivers of reports must not delay an alert. */
const places_for_alerts = 4
/** Minimum number of tries: a single fault after the clock was set forward ends no delivery. */
const min_tries = 3

/** Delivers reports and alerts independently: at least once, with the same id at every try. */
export function startDeliverer(tools: RunTools, delivery_tools: DelivererTools): WorkPool {
  const { ledger } = tools
  return startPool(
    {
      name: 'deliverer',
      at_once: reports_at_once + places_for_alerts,
      keyOf: (item: DeliveryWork) => deliveryName(item),
      claim(places) {
        const for_reports = places - places_for_alerts
        if (for_reports > 0) return ledger.claimDeliveries(for_reports)
        return ledger.claimDeliveries(places, { only_alerts: true })
      },
      // Each kind of delivery has its own time-out.
      work: (item, heartbeat) => heartbeat.during(deliverOne(item, tools, delivery_tools)),
      release: (item) => ledger.release('delivery', [item]),
      defer: (item, error) => end(item, defer(item, error, tools), tools),
    },
    tools,
  )
}

async function deliverOne(
  item: DeliveryWork,
  tools: RunTools,
  delivery_tools: DelivererTools,
): Promise<void> {
  const key = deliveryKey(item)
  const receiver = receiverOf(item, tools, delivery_tools)
  if (!receiver) {
    const from = item.run === undefined ? 'alerts' : item.written.prompt
    const message = `${item.target} is no longer among the deliveries of ${from}`
    return end(
      item,
      { type: 'delivery_failed', ...key, error: { code: 'delivery.unconfigured', message } },
      tools,
    )
  }
  const outcome = await deliver(receiver.target, receiver.message, delivery_tools)
  const { output } = outcome
  if (outcome.ok) return end(item, { type: 'delivered', ...key, output }, tools)
  const { error, is_final, retry_after_ms } = outcome
  if (is_final) return end(item, { type: 'delivery_failed', ...key, error, output }, tools)
  // A stop dropped it midway; the next start retries it.
  if (!tools.hard.aborted)
    await end(item, { ...defer(item, error, tools, retry_after_ms), output }, tools)
}

/** Undefined if the config has no such delivery any more. */
function receiverOf(
  item: DeliveryWork,
  { prompts, page_url }: RunTools,
  { alerts }: DelivererTools,
): { target: DeliveryTarget; message: Message } | undefined {
  const settings = item.run === undefined ? undefined : prompts.get(item.written.prompt)
  const targets = item.run === undefined ? alerts : (settings?.deliver ?? [])
  const target = targets.find(({ name }) => name === item.target)
  if (!target) return undefined
  if (item.run === undefined) return { target, message: alertMessage(item.raised, item.target) }
  return settings && { target, message: reportMessage(item, settings, page_url) }
}

function defer(
  item: DeliveryWork,
  error: FaultNote,
  { clock, asking }: RunTools,
  retry_after_ms?: number,
): Extract<DeliveryFact, { type: 'delivery_failed' | 'delivery_deferred' }> {
  const key = deliveryKey(item)
  const { attempts, wanted_ms } = item
  const now_ms = clock.now_ms()
  if (attempts + 1 >= min_tries && now_ms - wanted_ms > asking.deliver_give_up_ms) {
    const message = `given up after ${attempts + 1} tries: ${error.message}`
    return { type: 'delivery_failed', ...key, error: { code: error.code, message } }
  }
  const limits = { first_ms: asking.deliver_first_ms, max_ms: asking.max_deliver_ms }
  const not_before_ms = now_ms + Math.max(retry_after_ms ?? 0, backoff_ms(attempts, limits))
  return { type: 'delivery_deferred', ...key, not_before_ms, error }
}

async function end(
  item: DeliveryWork,
  fact: DeliveryFact,
  { ledger, report }: RunTools,
): Promise<void> {
  await ledger.record([fact])
  const { target } = item
  const name = item.run === undefined ? item.raised.subject : nameOf(item.written)
  if (fact.type === 'delivered') report.delivered(name, target)
  else if (fact.type === 'delivery_failed') report.failed(`${target}: ${fact.error.message}`, name)
  else if (fact.type === 'delivery_deferred') report.later(`${target}: ${fact.error.message}`, name)
}
