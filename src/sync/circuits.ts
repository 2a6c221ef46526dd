import { messageOf } from '../base/run/errors.ts'
import { backoff_ms, type Clock, day_ms, minute_ms, second_ms } from '../base/time/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Failure } from '../remote/outcome.ts'
import { type Concern, createFaultCounts, type Host, isOfAHost } from './fault-counts.ts'
import { type About, hintFor, isOfUploads, type SyncReport } from './report.ts'
import type { Step } from './upload/send-places.ts'

interface Tripped {
  attempts: number
  until_ms: number
  since_ms: number
  message: string
  told: boolean
  /**
   * The step that failed for several contents alike: only its success ends the trouble. Absent: any
   * success does.
   */
  step: Step | undefined
  /** The service itself named the pause (Retry-After). */
  asked_to_wait: boolean
}

const retry = { first_ms: second_ms, most_ms: 5 * minute_ms }
const retry_account = { first_ms: 15 * second_ms, most_ms: 5 * minute_ms }
/** How often the token's source is read again while the token is refused. */
const token_look_ms = 2 * second_ms
/** A probe that says nothing for this long was lost. */
const probe_lost_ms = 2 * minute_ms
/** Further than anything is put off. */
const far_ahead_ms = 366 * day_ms
/** Of a trouble that is a pause which the service named: it is there, and whoever waits for it is told so. */
const code_of_pause = 'service.asked_to_wait'
/** A short pause that the service asked for is no trouble to tell people about. */
const quiet_pause_ms = minute_ms

export interface CircuitTools {
  ledger: Ledger
  clock: Clock
  report: SyncReport
  /** True when there is another token now; throws where it cannot be read. */
  reloadToken: () => boolean
  /** The service asked for less at once. */
  onSlowDown: () => void
  /** Every project of the configuration in force. */
  readonly projects: readonly string[]
  /** Those of them that somebody asks again and again, whether there is something to send or not: only an answer ends their trouble. */
  readonly audited?: readonly string[]
}

export type Circuits = ReturnType<typeof createCircuits>

/** One for each service that is or was in force: what ends late with an earlier one says nothing about the next. */
export function createCircuits(tools: CircuitTools) {
  const { ledger, clock, report } = tools
  const counts = createFaultCounts(clock)
  const resting = new Map<About, Tripped>()
  let probe_until_ms = 0
  let token_looked_ms = 0
  let is_retired = false
  let pause_ends_ms = Number.NEGATIVE_INFINITY

  /** The same for work that goes on in a pause. */
  function restsForTrouble(project_id: string, hosts: readonly Host[]): boolean {
    const now_ms = clock.now_ms()
    const concerns = (about: About) => {
      if (about.startsWith('project:')) return about === `project:${project_id}`
      return !isOfUploads(about) || hosts.includes('blob')
    }
    return [...resting].some(([about, { until_ms }]) => until_ms > now_ms && concerns(about))
  }

  /** Another token is shown from now on: what the last one was told says nothing about it. */
  function tokenChanged(): void {
    const account = resting.get('account')
    if (!account) return
    account.until_ms = clock.now_ms()
    account.attempts = 0
  }

  /** Whether the configuration in force names this project. */
  function asksFor(project_id: string): boolean {
    return tools.projects.includes(project_id)
  }

  async function trip(about: About, failure: Failure, of: { pause_ms?: number; step?: Step } = {}): Promise<'hold'> {
    const { pause_ms, step } = of
    const now_ms = clock.now_ms()
    const before = resting.get(about)
    // Calls that were already out when it tripped say nothing new.
    if (before && before.until_ms > now_ms) return 'hold'
    const attempts = before?.attempts ?? 0
    const limits = about === 'account' || about.startsWith('project:') ? retry_account : retry
    // A pause of nothing (Retry-After: 0) would be asked for again and again, as fast as the line allows.
    const wait_ms = pause_ms === undefined ? backoff_ms(attempts, limits) : Math.max(pause_ms, limits.first_ms)
    const message = [failure.message, failure.humane].filter((text) => text !== undefined).join(': ')
    const since_ms = before?.since_ms ?? now_ms
    // Short pauses one after the other, with nothing answered in between, are a long one.
    const is_long = pause_ms === undefined || pause_ms > quiet_pause_ms || now_ms - since_ms > quiet_pause_ms
    const told = !is_retired && (before?.told === true || is_long)
    const tripped = {
      attempts: attempts + 1,
      until_ms: now_ms + wait_ms,
      since_ms,
      message,
      told,
      step,
      asked_to_wait: pause_ms !== undefined,
    }
    resting.set(about, tripped)
    const status_code = failure.status === undefined ? failure.about : `http.${failure.status}`
    const code = pause_ms === undefined ? (failure.code ?? status_code) : code_of_pause
    if (told && !before?.told) {
      const hint = hintFor(about)
      report.trouble(about, `${message.replace(/\.$/, '')}. ${hint}`, 'error')
      await ledger.record([{ type: 'trouble_began', about, error: { code, message, hint } }]).catch((error) => {
        tripped.told = false
        throw error
      })
    }
    return 'hold'
  }

  async function heal(about: About): Promise<void> {
    const tripped = resting.get(about)
    if (!tripped) return
    resting.delete(about)
    if (!tripped.told || is_retired) return
    try {
      await ledger.record([{ type: 'trouble_ended', about }])
    } catch (error) {
      // The next success says it again.
      if (!resting.has(about)) resting.set(about, { ...tripped, until_ms: 0 })
      throw error
    }
    report.trouble(about, 'right again', 'info')
  }

  function lookAtToken(now_ms: number): void {
    const account = resting.get('account')
    if (!account || now_ms - token_looked_ms < token_look_ms) return
    token_looked_ms = now_ms
    try {
      if (tools.reloadToken()) tokenChanged()
    } catch (error) {
      report.trouble('account', messageOf(error), 'error')
    }
  }

  return {
    /**
     * What a worker that uses these hosts may begin. A project that rests is left out, and the others go on at full speed; when
     * its pause is over it takes part again, and rests anew at its first refusal. `limit`: how many items may be begun now, 0
     * while everything rests, 1 as a probe.
     */
    allowance(hosts: readonly Host[]) {
      const now_ms = clock.now_ms()
      lookAtToken(now_ms)
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
      if (wait_ms > 0) return { limit: 0, wait_ms: Math.min(wait_ms, token_look_ms), except_projects }
      if (!probing) return { limit: Number.POSITIVE_INFINITY, wait_ms: 0, except_projects }
      if (probe_until_ms > now_ms) return { limit: 0, wait_ms: token_look_ms, except_projects }
      probe_until_ms = now_ms + probe_lost_ms
      return { limit: 1, wait_ms: 0, except_projects }
    },
    /** Whether claimed work must not begin now: in a pause, or while a host or its project rests. */
    rests(project_id: string, hosts: readonly Host[]): boolean {
      return pause_ends_ms > clock.now_ms() || restsForTrouble(project_id, hosts)
    },
    restsForTrouble,
    /** The probe found nothing to do, or has ended, whether the service was asked or not. */
    unused(): void {
      probe_until_ms = 0
    },
    /** Nothing is to be sent: what rested for its sake is no trouble any more. */
    async nothingToSend(): Promise<void> {
      const now_ms = clock.now_ms()
      for (const [about, { until_ms }] of [...resting]) {
        if (until_ms > now_ms) continue
        if (isOfUploads(about)) await heal(about)
        if (!about.startsWith('project:')) continue
        if (tools.audited?.some((project) => about === `project:${project}`)) continue
        const others = tools.projects.filter((project) => about !== `project:${project}`)
        if (!(await ledger.dueElsewhere(others, far_ahead_ms))) await heal(about)
      }
    },
    /** Answers `hold` where the item itself is not at fault and must keep its state, `count` where it may be. */
    async failed(failure: Failure, project_id: string, host: Host, concern?: Concern): Promise<'hold' | 'count'> {
      probe_until_ms = 0
      // Tried again it carries the other one.
      if (failure.of_old_token) return 'hold'
      if (failure.about === 'account') return trip('account', failure)
      // What is left of a project that is no longer asked for is a matter of its own.
      if (failure.about === 'project' && !asksFor(project_id)) return 'count'
      if (failure.about === 'project') return trip(`project:${project_id}`, failure)
      // The service's word about this content.
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
    /** `step`: of an upload. */
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
    /** A person stops what goes out: what was claimed before and is not begun goes back; the ledger hands out no more. */
    pause(until_ms = Number.POSITIVE_INFINITY): void {
      pause_ends_ms = until_ms
    },
    resume(): void {
      pause_ends_ms = Number.NEGATIVE_INFINITY
    },
    tokenChanged,
    /**
     * Another service is in force, or another way to this one, with circuits of its own: no trouble here is one any more, and from
     * now on nothing is told, for the ledger knows one trouble of a kind and it would be that of the other.
     */
    async retire(): Promise<void> {
      for (;;) {
        const told = [...resting].filter(([, tripped]) => tripped.told)
        if (told.length === 0) break
        // Where it cannot be recorded these circuits stay in force, and end it when they can.
        await ledger.record(told.map(([about]) => ({ type: 'trouble_ended', about })))
        for (const [about, tripped] of told) {
          tripped.told = false
          report.trouble(about, 'left behind: another service is in force', 'info')
        }
      }
      is_retired = true
    },
    asksFor,
    /** Of projects that are no longer asked for. */
    async forgetProjectsExcept(projects: readonly string[]): Promise<void> {
      for (const about of [...resting.keys()]) {
        if (about.startsWith('project:') && !projects.some((project) => about === `project:${project}`))
          await heal(about)
      }
    },
    /** What rests now, and since when. */
    tripped: () => [...resting].map(([about, tripped]) => ({ about, ...tripped })),
  }
}

function isTooMuch({ status, code }: Failure): boolean {
  return status === 429 || status === 503 || code === 'network.timeout'
}
