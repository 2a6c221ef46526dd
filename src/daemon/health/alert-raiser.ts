import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HttpClient } from '../../base/net/http-client.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { deliver } from '../../deliver/deliver.ts'
import type { Fact } from '../../domain/fact.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { RaisedAlert } from '../../ledger/prompt-work.ts'
import type { HealthView } from '../../ledger/views/view-health.ts'
import { alertMessage } from '../../prompts/report/report.ts'
import type { PromptReport } from '../../prompts/run-tools.ts'
import { type AlertDue, AlertJudge, alertText, reportedAfter } from '../../status/health/alerts.ts'
import type { Problem } from '../../status/health/problems.ts'

export interface AlertTools extends Recorder {
  prompt_report: PromptReport
  receivers: HttpClient
  signal: AbortSignal
  config(): Config
}

/**
 * Records alerts about changes of the health; the deliverer brings them to their receivers. The
 * ledger knows what was reported, so that a restart neither repeats nor forgets an alert.
 */
export function createAlertRaiser(tools: AlertTools) {
  const { clock, prompt_report, receivers: http, signal, config } = tools
  /** Deliveries under way of alerts that could not be recorded. */
  const unrecorded = new Set<Promise<void>>()
  let judge: AlertJudge | undefined

  async function raise(due: AlertDue): Promise<void> {
    const { alerts, state_dir } = config()
    const at_ms = clock.now_ms()
    const text = alertText(due, { host: hostname(), state_dir }, at_ms)
    const alert = { message_id: `alert_${randomUUID()}`, ...text, problems: reportedAfter(due) }
    try {
      const targets = alerts.deliver.map(({ name }) => name)
      await recordUnlessStuck(tools, [{ type: 'alert_raised', ...alert, targets }])
    } catch (error) {
      // If the ledger cannot record, receivers must know that most of all.
      prompt_report.fault(
        'an alert could not be recorded, so Sluice sends it once, without retries',
        error,
      )
      const sent = sendUnrecorded({ ...alert, at_ms }).finally(() => unrecorded.delete(sent))
      unrecorded.add(sent)
    }
  }

  async function sendUnrecorded(alert: RaisedAlert): Promise<void> {
    const delivery_tools = { http, clock, signal, environment: readEnvironment().for_commands }
    const { deliver: targets } = config().alerts
    await Promise.all(
      targets.map(async (target) => {
        const outcome = await deliver(target, alertMessage(alert, target.name), delivery_tools)
        if (outcome.ok) prompt_report.delivered(alert.subject, target.name)
        else prompt_report.failed(`${target.name}: ${outcome.error.message}`, alert.subject)
      }),
    )
  }

  return {
    /** Runs at each health check. Problems that begin within `group_ms` go into one alert. */
    async check(problems: readonly Problem[], view: HealthView, group_ms: number): Promise<void> {
      judge ??= new AlertJudge(view.reported())
      const due = judge.judge(problems, clock.monotonic_ms(), { ...config().alerts, group_ms })
      if (!due || signal.aborted) return
      await raise(due)
      judge.markReported(due)
    },
    /** Resolves when all deliveries without a record have ended. */
    async drained(): Promise<void> {
      await Promise.all(unrecorded)
    },
  }
}

interface Recorder {
  ledger: Pick<Ledger, 'record'>
  clock: Clock
  /** True if a ledger call has had no answer for too long. */
  isLedgerStuck(): boolean
}

const check_every_ms = second_ms

/**
 * Records facts for callers that must not hang with the ledger: waits for the answer only while the
 * ledger proceeds. Errors: those of `record`, and `ledger.no_answer`. After `ledger.no_answer` the
 * facts may still be recorded later.
 */
export async function recordUnlessStuck(
  { ledger, clock, isLedgerStuck }: Recorder,
  facts: Fact[],
): Promise<void> {
  const answered = new AbortController()
  const giveUp = async () => {
    while (!answered.signal.aborted) {
      await clock.sleep(check_every_ms, answered.signal)
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
    hint: 'restart the daemon; if this happens again, check the disk under state_dir',
  })
}
