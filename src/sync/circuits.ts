import { messageOf } from '../base/run/errors.ts'
import { backoff_ms, type Clock, day_ms, minute_ms, second_ms } from '../base/time/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Failure, failureText } from '../remote/outcome.ts'
import { type Concern, createFaultCounts, type Host, isOfAHost, type Step } from './fault-counts.ts'
import { type About, hintFor, isOfUploads, type SyncReport } from './report.ts'

/** Times are monotonic: else a clock that is turned back would stop all calls for that long. */
interface Tripped {
  code: string
  attempts: number
  until_ms: number
  since_ms: number
  message: string
  recorded: boolean
  /** Step that failed for several contents; only its success ends the trouble. Absent: any. */
  step: Step | undefined
  /** True if the service set the pause (Retry-After). */
  asked_to_wait: boolean
}

const retry = { first_ms: second_ms, max_ms: 5 * minute_ms }
const retry_account = { first_ms: 15 * second_ms, max_ms: 5 * minute_ms }
/** Interval to read the token's source while the token is refused. */
const token_check_ms = 2 * second_ms
/** A probe without a result for this long is lost. */
const probe_lost_ms = 2 * minute_ms
/** Longer than any wait. */
const far_ahead_ms = 366 * day_ms
/** Code of a trouble that is only a pause set by the service, which is thus online. */
const code_of_pause = 'service.asked_to_wait'
/** A shorter pause set by the service is not reported as a trouble. */
const quiet_pause_ms = minute_ms

export interface CircuitTools {
  ledger: Ledger
  clock: Clock
  report: SyncReport
  /** True if the token has changed. Rejects if it cannot be read. */
  reloadToken: () => Promise<boolean>
  /** Called when the service asks for fewer parallel calls. */
  onSlowDown: () => void
  /** All projects of the configuration in force. */
  readonly projects: readonly string[]
  /** Projects that the audit asks, even without uploads. Only an answer ends their trouble. */
  readonly audited?: readonly string[]
}

export type Circuits = ReturnType<typeof createCircuits>

/**
 * The circuits of one service. After faults that concern more than one file, a circuit opens, and
 * calls that need it wait. After each pause, which grows, one call probes it. Each service has its
 * own circuits: late results of an earlier one do not concern the next.
 */
export function createCircuits(tools: CircuitTools) {
  const { ledger, clock, report } = tools
  const counts = createFaultCounts(clock)
  const resting = new Map<About, Tripped>()
  let probe_until_ms = 0
  let token_checked_ms = Number.NEGATIVE_INFINITY
  let is_retired = false
  /** Unix ms, as the user's pause is kept. */
  let pause_ends_ms = Number.NEGATIVE_INFINITY

  /** Like `rests`, but for work that continues in a user's pause: only open circuits count. */
  function restsForTrouble(project_id: string, hosts: readonly Host[]): boolean {
    const now_ms = clock.monotonic_ms()
    const concerns = (about: About) =>
      about.startsWith('project:')
        ? about === `project:${project_id}`
        : !isOfUploads(about) || hosts.includes('blob')
    return [...resting].some(([about, { until_ms }]) => until_ms > now_ms && concerns(about))
  }

  /** A new token is in use: calls begin at once. Answers to the old one say nothing about it. */
  function tokenChanged(): void {
    const account = resting.get('account')
    if (!account) return
    account.until_ms = clock.monotonic_ms()
    account.attempts = 0
  }

  const asksFor = (project_id: string): boolean => tools.projects.includes(project_id)

  async function trip(
    about: About,
    failure: Failure,
    of: { pause_ms?: number; step?: Step } = {},
  ): Promise<'hold'> {
    const { pause_ms, step } = of
    const now_ms = clock.monotonic_ms()
    const before = resting.get(about)
    // Calls that were already running when it tripped show nothing new.
    if (before && before.until_ms > now_ms) return 'hold'
    const attempts = before?.attempts ?? 0
    const limits = about === 'account' || about.startsWith('project:') ? retry_account : retry
    // After a pause of zero (Retry-After: 0) calls would repeat as fast as the network allows.
    const wait_ms =
      pause_ms === undefined ? backoff_ms(attempts, limits) : Math.max(pause_ms, limits.first_ms)
    const message = failureText(failure)
    const since_ms = before?.since_ms ?? now_ms
    // Short pauses in a row, without a success in between, count as a long one.
    const is_long =
      pause_ms === undefined || pause_ms > quiet_pause_ms || now_ms - since_ms > quiet_pause_ms
    const recorded = !is_retired && (before?.recorded === true || is_long)
    const status_code = failure.status === undefined ? failure.about : `http.${failure.status}`
    const code = pause_ms === undefined ? (failure.code ?? status_code) : code_of_pause
    const tripped = {
      code,
      attempts: attempts + 1,
      until_ms: now_ms + wait_ms,
      since_ms,
      message,
      recorded,
      step,
      asked_to_wait: pause_ms !== undefined,
    }
    resting.set(about, tripped)
    if (recorded && !before?.recorded) {
      const hint = hintFor(about, code)
      report.trouble(about, `${message}. ${hint}`, 'error')
      await ledger
        .record([{ type: 'trouble_began', about, error: { code, message, hint } }])
        .catch((error) => {
          tripped.recorded = false
          throw error
        })
    }
    return 'hold'
  }

  async function heal(about: About): Promise<void> {
    const tripped = resting.get(about)
    if (!tripped) return
    resting.delete(about)
    if (!tripped.recorded || is_retired) return
    try {
      await ledger.record([{ type: 'trouble_ended', about }])
    } catch (error) {
      // The next success repeats it. The call that succeeded goes on: if it threw here, its result,
      // such as a new slot, would be lost.
      if (!resting.has(about)) resting.set(about, { ...tripped, until_ms: 0 })
      report.fault('the end of a trouble', error)
      return
    }
    report.trouble(about, 'resolved', 'info')
  }

  function checkToken(now_ms: number): void {
    const account = resting.get('account')
    if (!account || now_ms - token_checked_ms < token_check_ms) return
    token_checked_ms = now_ms
    // Its file may not answer. The next allowance uses what is known by then.
    tools.reloadToken().then(
      (is_new) => is_new && tokenChanged(),
      (error: unknown) => report.trouble('account', messageOf(error), 'error'),
    )
  }

  return {
    /**
     * Work that a worker on these hosts may begin. Refused projects are excluded until their pause
     * is over, and others continue at full speed. `limit` is the number of items allowed now, 0
     * while everything pauses or a probe is out, 1 for a probe.
     */
    allowance(hosts: readonly Host[]) {
      const now_ms = clock.monotonic_ms()
      checkToken(now_ms)
      const except_projects: string[] = []
      let probing = false
      let wait_ms = 0
      for (const [about, { until_ms }] of resting) {
        if (about.startsWith('project:')) {
          if (until_ms > now_ms) except_projects.push(about.slice('project:'.length))
        } else if (isOfUploads(about) && !hosts.includes('blob')) continue
        else if (until_ms <= now_ms) probing = true
        else wait_ms = Math.max(wait_ms, until_ms - now_ms)
      }
      if (wait_ms > 0)
        return { limit: 0, wait_ms: Math.min(wait_ms, token_check_ms), except_projects }
      if (!probing) return { limit: Number.POSITIVE_INFINITY, wait_ms: 0, except_projects }
      if (probe_until_ms > now_ms) return { limit: 0, wait_ms: token_check_ms, except_projects }
      probe_until_ms = now_ms + probe_lost_ms
      return { limit: 1, wait_ms: 0, except_projects }
    },
    /** True if claimed work must not begin: in a user's pause, or while its circuit is open. */
    rests(project_id: string, hosts: readonly Host[]): boolean {
      return pause_ends_ms > clock.now_ms() || restsForTrouble(project_id, hosts)
    },
    restsForTrouble,
    /** Call it when the probe had no work, or has ended, with or without a call. */
    unused(): void {
      probe_until_ms = 0
    },
    /**
     * Call it when no upload is due. Ends the troubles that only more uploads could end: those of
     * uploads, and those of projects that are not audited and have no work left.
     */
    async nothingToSend(): Promise<void> {
      const now_ms = clock.monotonic_ms()
      for (const [about, { until_ms }] of [...resting]) {
        if (until_ms > now_ms) continue
        if (isOfUploads(about)) await heal(about)
        if (!about.startsWith('project:')) continue
        if (tools.audited?.some((project) => about === `project:${project}`)) continue
        const others = tools.projects.filter((project) => about !== `project:${project}`)
        if (!(await ledger.dueElsewhere(others, far_ahead_ms))) await heal(about)
      }
    },
    /** Returns `hold` if the item is not at fault and must keep its state, `count` if it may be. */
    async failed(
      failure: Failure,
      project_id: string,
      host: Host,
      concern?: Concern,
    ): Promise<'hold' | 'count'> {
      probe_until_ms = 0
      // The retry uses the new token. A request that ended with its connection says nothing.
      if (failure.of_old_token || failure.code === 'network.aborted') return 'hold'
      if (failure.about === 'account') return trip('account', failure)
      // Leftover work of a project that the configuration no longer names is judged by itself.
      if (failure.about === 'project' && !asksFor(project_id)) return 'count'
      if (failure.about === 'project') return trip(`project:${project_id}`, failure)
      // The service judged this content.
      if (failure.about === 'content') return 'count'
      if (isOfAHost(failure, host)) {
        if (!is_retired && isTooMuch(failure)) tools.onSlowDown()
        const pause_ms = failure.retry_after_ms
        if (pause_ms !== undefined) return trip(host, failure, { pause_ms })
        const is_known = resting.has(host)
        if (counts.addInARow(failure, host, concern) || is_known) return trip(host, failure)
      }
      if (concern?.step === undefined) return 'count'
      const { content, step } = concern
      const about = step === 'put' ? 'blob' : 'uploads'
      const is_known = resting.get(about)?.step === step
      const is_alike = counts.addAlike(failure, step, content)
      return is_known || is_alike ? trip(about, failure, { step }) : 'count'
    },
    /** `step`: only for uploads. */
    async succeeded(project_id: string, host: Host, step?: Step): Promise<void> {
      counts.succeeded(host, step)
      if (resting.size === 0) return
      const able: About[] = host === 'blob' ? ['blob'] : ['account', 'api', `project:${project_id}`]
      if (step !== undefined && resting.get('uploads')?.step === step) able.push('uploads')
      const healed = able.filter((about) => resting.has(about))
      if (healed.length === 0) return
      probe_until_ms = 0
      for (const about of healed) await heal(about)
    },
    /** Stops outgoing work: claimed work is released, and the ledger hands out none. */
    pause(until_ms = Number.POSITIVE_INFINITY): void {
      pause_ends_ms = until_ms
    },
    resume(): void {
      pause_ends_ms = Number.NEGATIVE_INFINITY
    },
    tokenChanged,
    /**
     * Another service, or another way to this one, is in force with its own circuits. All troubles
     * here end, and no more are reported: the ledger has one trouble per kind, which now belongs to
     * the other circuits.
     */
    async retire(): Promise<void> {
      for (;;) {
        const recorded = [...resting].filter(([, tripped]) => tripped.recorded)
        if (recorded.length === 0) break
        // If recording fails, these circuits stay in force, and end the trouble when they can.
        await ledger.record(recorded.map(([about]) => ({ type: 'trouble_ended', about })))
        for (const [about, tripped] of recorded) {
          tripped.recorded = false
          report.trouble(
            about,
            'dropped: the connection to the service was configured anew',
            'info',
          )
        }
      }
      is_retired = true
    },
    asksFor,
    /** Ends the troubles of all other projects, which the configuration no longer names. */
    async forgetProjectsExcept(projects: readonly string[]): Promise<void> {
      for (const about of [...resting.keys()]) {
        if (about.startsWith('project:') && !projects.includes(about.slice('project:'.length)))
          await heal(about)
      }
    },
    tripped: () => [...resting].map(([about, tripped]) => ({ about, ...tripped })),
  }
}

function isTooMuch({ status, code }: Failure): boolean {
  return status === 429 || status === 503 || code === 'network.timeout'
}
