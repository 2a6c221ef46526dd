import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HttpClient } from '../base/http-client.ts'
import { backoff_ms, type Clock, localDate, localTime } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { deliver } from '../deliver/deliver.ts'
import type { Message } from '../deliver/message.ts'
import type { AlertFact } from '../domain/alert.ts'
import type { AlertWork } from '../ledger/alert-rows.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { HealthView } from '../ledger/view-health.ts'
import type { PromptReport } from '../prompts/prompt-report.ts'
import { alertText } from '../status/alert-text.ts'
import { type AlertDue, AlertJudge, toldAfter } from '../status/alerts.ts'
import type { Reason } from '../status/health-promises.ts'
import { recordUnlessStuck } from './record-unless-stuck.ts'

export interface AlertTools {
  ledger: Ledger
  clock: Clock
  prompt_report: PromptReport
  receivers: HttpClient
  signal: AbortSignal
  config(): Config
  /** Whether calls of the ledger have had no answer for too long. */
  isLedgerStuck(): boolean
}

/** Each holds a connection or a process; a receiver that hangs until its time-out holds up few others. */
const deliveries_at_once = 4
/** One fault after the clock was set forward gives nothing up. */
const tries_least = 3

/** Tells people of changes of the health: through the ledger, so that a restart neither repeats nor forgets one. */
export class AlertSender {
  readonly #tools: AlertTools
  readonly #under_way = new Map<string, Promise<void>>()
  #judge: AlertJudge | undefined

  constructor(tools: AlertTools) {
    this.#tools = tools
  }

  get is_delivering(): boolean {
    return this.#under_way.size > 0
  }

  /** At every look at the health; what goes wrong within `group_ms` is one alert. */
  async look(reasons: readonly Reason[], view: HealthView, group_ms: number): Promise<void> {
    const { clock, config } = this.#tools
    const { alerts } = config()
    this.#judge ??= new AlertJudge(view.told())
    const due = this.#judge.judge(reasons, clock.monotonic_ms(), { ...alerts, group_ms })
    if (due && !this.#tools.signal.aborted) {
      await this.#tell(due)
      this.#judge.tell(due)
    }
    this.#deliver(view)
  }

  /** Resolves when what was begun has ended. */
  async drained(): Promise<void> {
    await Promise.all(this.#under_way.values())
  }

  async #tell(due: AlertDue): Promise<void> {
    const { clock, config, prompt_report } = this.#tools
    const { alerts, state_dir } = config()
    const message_id = `alert_${randomUUID()}`
    const now_ms = clock.now_ms()
    const reasons = toldAfter(due)
    const { subject, text } = alertText(due, { host: hostname(), state_dir }, now_ms)
    const targets = alerts.deliver.map(({ name }) => name)
    try {
      await recordUnlessStuck(this.#tools, [{ type: 'alert_raised', message_id, subject, text, reasons, targets }])
    } catch (error) {
      // That nothing can be recorded is the worst of what there is to tell: then it is told once, by heart.
      prompt_report.fault('an alert could not be recorded; it is sent once', error)
      const work = { alert: 0, attempts: 0, wanted_ms: now_ms, message_id, at_ms: now_ms, subject, text, reasons }
      for (const target of targets) this.#begin({ ...work, target }, { is_recorded: false })
    }
  }

  #deliver(view: HealthView): void {
    const room = deliveries_at_once - this.#under_way.size
    if (room <= 0 || this.#tools.signal.aborted) return
    const due = view.dueAlerts(this.#tools.clock.now_ms(), deliveries_at_once * 2)
    for (const work of due.filter((one) => !this.#under_way.has(keyOf(one))).slice(0, room)) {
      this.#begin(work, { is_recorded: true })
    }
  }

  #begin(work: AlertWork, options: { is_recorded: boolean }): void {
    const key = keyOf(work)
    const delivery = this.#bring(work, options)
      .catch((error: unknown) => this.#tools.prompt_report.fault('an alert', error))
      .finally(() => this.#under_way.delete(key))
    this.#under_way.set(key, delivery)
  }

  async #bring(work: AlertWork, { is_recorded }: { is_recorded: boolean }): Promise<void> {
    const { clock, ledger, receivers: http, signal, config, prompt_report } = this.#tools
    const target = config().alerts.deliver.find(({ name }) => name === work.target)
    const environment = readEnvironment().for_commands
    const outcome = target
      ? await deliver(target, messageFor(work), { http, clock, signal, environment })
      : notConfigured(work.target)
    // Dropped in the middle by a stop: the next life tries it again.
    if (signal.aborted && !outcome.ok) return
    const fact = this.#factOf(work, outcome)
    if (fact.type === 'alert_delivered') prompt_report.delivered(work.subject, work.target)
    else if (fact.type === 'alert_given_up') prompt_report.failed(`${work.target}: ${fact.error.message}`, work.subject)
    else prompt_report.later(`${work.target}: ${fact.error.message}`, work.subject)
    if (is_recorded) await ledger.record([fact])
  }

  #factOf(
    { alert, target, attempts, wanted_ms }: AlertWork,
    outcome: Awaited<ReturnType<typeof deliver>>,
  ): Exclude<AlertFact, { type: 'alert_raised' }> {
    if (outcome.ok) return { type: 'alert_delivered', alert, target }
    const { error, is_final, retry_after_ms = 0 } = outcome
    const { asking } = this.#tools.config()
    const now_ms = this.#tools.clock.now_ms()
    const is_enough = attempts + 1 >= tries_least && now_ms - wanted_ms > asking.deliver_give_up_ms
    if (is_final || is_enough) {
      const message = is_final ? error.message : `given up after ${attempts + 1} tries: ${error.message}`
      return { type: 'alert_given_up', alert, target, error: { code: error.code, message } }
    }
    const limits = { first_ms: asking.deliver_first_ms, most_ms: asking.deliver_most_ms }
    const not_before_ms = now_ms + Math.max(retry_after_ms, backoff_ms(attempts, limits))
    return { type: 'alert_set_back', alert, target, not_before_ms, error }
  }
}

function keyOf({ message_id, target }: AlertWork): string {
  return `${message_id} ${target}`
}

function notConfigured(target: string): Awaited<ReturnType<typeof deliver>> {
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
