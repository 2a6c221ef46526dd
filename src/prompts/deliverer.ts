import { codeOf, messageOf } from '../base/run/errors.ts'
import { backoff_ms } from '../base/time/time.ts'
import { type DeliveryTools, deliver } from '../deliver/deliver.ts'
import type { FaultNote } from '../domain/fact.ts'
import type { RunFact } from '../domain/run.ts'
import type { DeliveryWork } from '../ledger/prompt-work.ts'
import { reportMessage } from './report/report.ts'
import { nameOf, type RunTools } from './run-tools.ts'
import { startPool, type WorkPool } from './work-pool.ts'

/** Each holds a report and a connection or a process; receivers that hang until their time-outs hold up few others. */
const deliveries_at_once = 8
/** One fault after the clock was set forward gives nothing up. */
const tries_least = 3

/** Brings reports to their receivers, each on its own: at least once, with the same id at every try. */
export function startDeliverer(tools: RunTools, delivery_tools: DeliveryTools): WorkPool {
  const { ledger } = tools
  return startPool(
    {
      name: 'deliverer',
      at_once: deliveries_at_once,
      keyOf: ({ run, target }: DeliveryWork) => `${run} ${target}`,
      claim: (room) => ledger.claimDeliveries(room),
      // Each way of delivery has its own limit of time.
      work: (item, pulse) => pulse.during(deliverOne(item, tools, delivery_tools)),
      release: ({ run, target }) => ledger.release('delivery', [{ run, target }]),
      setBack: async (item, error) => {
        const note = { code: codeOf(error) ?? 'internal.unexpected', message: messageOf(error) }
        await end(item, setBack(item, note, tools), tools)
      },
    },
    tools,
  )
}

async function deliverOne(item: DeliveryWork, tools: RunTools, delivery_tools: DeliveryTools): Promise<void> {
  const { run, target: name, written } = item
  const settings = tools.prompts.get(written.prompt)
  const target = settings?.deliver.find((candidate) => candidate.name === name)
  if (!settings || !target) {
    const error = {
      code: 'delivery.unconfigured',
      message: `${name} is not among the deliveries of ${written.prompt} any more`,
    }
    return end(item, { type: 'delivery_failed', run, target: name, error }, tools)
  }
  const outcome = await deliver(target, reportMessage(item, settings), delivery_tools)
  const { output } = outcome
  if (outcome.ok) return end(item, { type: 'delivered', run, target: name, output }, tools)
  const { error, is_final, retry_after_ms } = outcome
  if (is_final) return end(item, { type: 'delivery_failed', run, target: name, error, output }, tools)
  // Dropped in the middle by a stop: the next life tries it again.
  if (!tools.hard.aborted) await end(item, { ...setBack(item, error, tools, retry_after_ms), output }, tools)
}

function setBack(
  { run, target, attempts, wanted_ms }: DeliveryWork,
  error: FaultNote,
  { clock, asking }: RunTools,
  retry_after_ms?: number,
): Extract<RunFact, { type: 'delivery_failed' | 'delivery_set_back' }> {
  const now_ms = clock.now_ms()
  if (attempts + 1 >= tries_least && now_ms - wanted_ms > asking.deliver_give_up_ms) {
    const message = `given up after ${attempts + 1} tries: ${error.message}`
    return { type: 'delivery_failed', run, target, error: { code: error.code, message } }
  }
  const limits = { first_ms: asking.deliver_first_ms, most_ms: asking.deliver_most_ms }
  const not_before_ms = now_ms + Math.max(retry_after_ms ?? 0, backoff_ms(attempts, limits))
  return { type: 'delivery_set_back', run, target, not_before_ms, error }
}

async function end({ written, target }: DeliveryWork, fact: RunFact, { ledger, report }: RunTools): Promise<void> {
  await ledger.record([fact])
  const name = nameOf(written)
  if (fact.type === 'delivered') report.delivered(name, target)
  else if (fact.type === 'delivery_failed') report.failed(`${target}: ${fact.error.message}`, name)
  else if (fact.type === 'delivery_set_back') report.later(`${target}: ${fact.error.message}`, name)
}
