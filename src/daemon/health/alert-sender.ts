import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HttpClient } from '../../base/net/http-client.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { backoff_ms, type Clock, localDate, localTime, second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { deliver } from '../../deliver/deliver.ts'
import type { Message } from '../../deliver/message.ts'
import type { AlertFact } from '../../domain/alert.ts'
import type { Fact } from '../../domain/fact.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { AlertWork } from '../../ledger/rows/alert-rows.ts'
import type { HealthView } from '../../ledger/views/view-health.ts'
import type { PromptReport } from '../../prompts/run-tools.ts'
import { type AlertDue, AlertJudge, alertText, toldAfter } from '../../status/health/alerts.ts'
import type { Reason } from '../../status/health/health-promises.ts'

export interface AlertTools extends Recorder {
  prompt_report: PromptReport
  receivers: HttpClient
  signal: AbortSignal
  config(): Config
}

/** Each holds a connection or a process; a receiver that hangs until its time-out holds up few others. */
const deliveries_at_once = 4
/** One fault after the clock was set forward gives nothing up. */
const tries_least = 3

/** Tells people of changes of the health: through the ledger, so that a restart neither repeats nor forgets one. */
export function createAlertSender(tools: AlertTools) {
  const { ledger, clock, prompt_report, receivers: http, signal, config } = tools
  const under_way = new Map<string, Promise<void>>()
  let judge: AlertJudge | undefined

  async function tell(due: AlertDue): Promise<void> {
    const { alerts, state_dir } = config()
    const message_id = `alert_${randomUUID()}`
    const now_ms = clock.now_ms()
    const reasons = toldAfter(due)
    const { subject, text } = alertText(due, { host: hostname(), state_dir }, now_ms)
    const targets = alerts.deliver.map(({ name }) => name)
    try {
      await recordUnlessStuck(tools, [{ type: 'alert_raised', message_id, subject, text, reasons, targets }])
    } catch (error) {
      // That nothing can be recorded is the worst of what there is to tell: then it is told once, by heart.
      prompt_report.fault('an alert could not be recorded; it is sent once', error)
      const work = { alert: 0, attempts: 0, wanted_ms: now_ms, message_id, at_ms: now_ms, subject, text, reasons }
      for (const target of targets) begin({ ...work, target }, { is_recorded: false })
    }
  }

  function deliverDue(view: HealthView): void {
    const room = deliveries_at_once - under_way.size
    if (room <= 0 || signal.aborted) return
    const due = view.dueAlerts(clock.now_ms(), deliveries_at_once * 2)
    for (const work of due.filter((one) => !under_way.has(keyOf(one))).slice(0, room)) {
      begin(work, { is_recorded: true })
    }
  }

  function begin(work: AlertWork, options: { is_recorded: boolean }): void {
    const key = keyOf(work)
    const delivery = bring(work, options)
      .catch((error: unknown) => prompt_report.fault('an alert', error))
      .finally(() => under_way.delete(key))
    under_way.set(key, delivery)
  }

  async function bring(work: AlertWork, { is_recorded }: { is_recorded: boolean }): Promise<void> {
    const target = config().alerts.deliver.find(({ name }) => name === work.target)
    const environment = readEnvironment().for_commands
    const outcome = target
      ? await deliver(target, messageFor(work), { http, clock, signal, environment })
      : notConfigured(work.target)
    // Dropped in the middle by a stop: the next life tries it again.
    if (signal.aborted && !outcome.ok) return
    const fact = factOf(work, outcome, config().asking, clock.now_ms())
    if (fact.type === 'alert_delivered') prompt_report.delivered(work.subject, work.target)
    else if (fact.type === 'alert_given_up') prompt_report.failed(`${work.target}: ${fact.error.message}`, work.subject)
    else prompt_report.later(`${work.target}: ${fact.error.message}`, work.subject)
    if (is_recorded) await ledger.record([fact])
  }

  return {
    isDelivering: () => under_way.size > 0,
    /** At every look at the health; what goes wrong within `group_ms` is one alert. */
    async look(reasons: readonly Reason[], view: HealthView, group_ms: number): Promise<void> {
      judge ??= new AlertJudge(view.told())
      const due = judge.judge(reasons, clock.monotonic_ms(), { ...config().alerts, group_ms })
      if (due && !signal.aborted) {
        await tell(due)
        judge.tell(due)
      }
      deliverDue(view)
    },
    /** Resolves when what was begun has ended. */
    async drained(): Promise<void> {
      await Promise.all(under_way.values())
    },
  }
}

type DeliverOutcome = Awaited<ReturnType<typeof deliver>>

function factOf(
  { alert, target, attempts, wanted_ms }: AlertWork,
  outcome: DeliverOutcome,
  { deliver_give_up_ms, deliver_first_ms, deliver_most_ms }: Config['asking'],
  now_ms: number,
): Exclude<AlertFact, { type: 'alert_raised' }> {
  if (outcome.ok) return { type: 'alert_delivered', alert, target }
  const { error, is_final, retry_after_ms = 0 } = outcome
  const is_enough = attempts + 1 >= tries_least && now_ms - wanted_ms > deliver_give_up_ms
  if (is_final || is_enough) {
    const message = is_final ? error.message : `given up after ${attempts + 1} tries: ${error.message}`
    return { type: 'alert_given_up', alert, target, error: { code: error.code, message } }
  }
  const limits = { first_ms: deliver_first_ms, most_ms: deliver_most_ms }
  const not_before_ms = now_ms + Math.max(retry_after_ms, backoff_ms(attempts, limits))
  return { type: 'alert_set_back', alert, target, not_before_ms, error }
}

function keyOf({ message_id, target }: AlertWork): string {
  return `${message_id} ${target}`
}

function notConfigured(target: string): DeliverOutcome {
  const message = `${target} is not among the deliveries of alerts any more`
  return { ok: false, is_final: true, error: { code: 'delivery.unconfigured', message } }
}

/** The same at every try. What templates of reports know is there as well, so that one delivery may serve both. */
function messageFor(work: AlertWork): Message {
  const { subject, text, at_ms, reasons } = work
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const count = String(reasons.length)
  const times = { date: localDate(at_ms, zone), due: localTime(at_ms, zone) }
  return {
    id: deliveryId(work),
    subject,
    text,
    at_ms,
    values: { name: 'sluice-alert', ...times, report: '', manifest: '', count },
    data: { host: hostname(), healthy: reasons.length === 0, reasons },
  }
}

/** A receiver that gets two deliveries of an alert must not drop the second as one that it has seen. */
function deliveryId({ message_id, target }: AlertWork): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([message_id, target]))
    .digest('hex')
  return `alert_${digest.slice(0, 24)}`
}

interface Recorder {
  ledger: Pick<Ledger, 'record'>
  clock: Clock
  /** Whether calls of the ledger have had no answer for too long. */
  isLedgerStuck(): boolean
}

const look_ms = second_ms

/**
 * For whoever must not hang with the ledger: waits for its answer only while it moves. Errors: those of `record`, and
 * `ledger.no_answer`; then the facts may come to be recorded all the same.
 */
export async function recordUnlessStuck({ ledger, clock, isLedgerStuck }: Recorder, facts: Fact[]): Promise<void> {
  const answered = new AbortController()
  const giveUp = async () => {
    while (!answered.signal.aborted) {
      await clock.sleep(look_ms, answered.signal)
      if (!answered.signal.aborted && isLedgerStuck()) throw noAnswer()
    }
  }
  try {
    if (isLedgerStuck()) throw noAnswer()
    await Promise.race([ledger.record(facts), giveUp()])
  } finally {
    answered.abort()
  }
}

function noAnswer(): SluiceError {
  return new SluiceError({
    code: 'ledger.no_answer',
    message: 'the ledger does not answer',
    hint: 'restart the daemon; if it comes again, look at the disk under state_dir',
  })
}
