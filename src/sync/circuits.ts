import { messageOf } from '../base/errors.ts'
import { backoff_ms, type Clock, day_ms, minute_ms, second_ms } from '../base/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Failure } from '../remote/outcome.ts'
import type { SyncReport } from './report.ts'

/**
 * What is wrong beyond any one file, and what may be tried meanwhile. A fault of the account or a project stops at the first
 * sign; a service or blob store that does not answer after a few failures in a row. Then nothing is sent but one probe at a
 * time, later and later, and no file changes its state for it.
 */
export type About = 'account' | 'api' | 'blob' | `project:${string}`

export interface Allowance {
  /** How many items may be begun now: 0 while everything rests, 1 as a probe. */
  limit: number
  wait_ms: number
  except_projects: string[]
}

interface Tripped {
  attempts: number
  until_ms: number
  since_ms: number
  message: string
  told: boolean
  /** The service itself named the pause (Retry-After). */
  asked_to_wait: boolean
}

/** One failure is weather, three in a row with no success between are a fault of the service. */
const failures_to_trip = 3
const retry = { first_ms: second_ms, most_ms: 5 * minute_ms }
const retry_account = { first_ms: 15 * second_ms, most_ms: 5 * minute_ms }
/** How often the token's source is read again while the token is refused. */
const token_look_ms = 2 * second_ms
/** A probe that says nothing for this long was lost. */
const probe_lost_ms = 2 * minute_ms
/** Further than anything is put off. */
const far_ahead_ms = 366 * day_ms
/**
 * Failures that may be those of the host, not of one item. An answer that nobody understands is one of them: a captive portal
 * or a sign-in page answers every call in the same way.
 */
export const of_a_host: readonly Failure['about'][] = ['network', 'later', 'unknown_protocol']
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

/** One for each service that is or was in force: what ends late with an earlier one says nothing about the next. */
export class Circuits {
  readonly #tools: CircuitTools
  readonly #tripped = new Map<About, Tripped>()
  readonly #in_a_row = new Map<About, number>()
  #probe_until_ms = 0
  #token_looked_ms = 0
  #is_retired = false
  #paused_until_ms = Number.NEGATIVE_INFINITY

  constructor(tools: CircuitTools) {
    this.#tools = tools
  }

  /**
   * What a worker that uses these hosts may begin. A project that rests is left out, and the others go on at full speed; when
   * its pause is over it takes part again, and rests anew at its first refusal.
   */
  allowance(hosts: readonly ('api' | 'blob')[]): Allowance {
    const now_ms = this.#tools.clock.now_ms()
    this.#lookAtToken(now_ms)
    const except_projects: string[] = []
    let probing = false
    let wait_ms = 0
    for (const [about, { until_ms }] of this.#tripped) {
      if (about.startsWith('project:')) {
        if (until_ms > now_ms) except_projects.push(about.slice('project:'.length))
      } else if (about === 'blob' && !hosts.includes('blob')) continue
      else if (until_ms <= now_ms) probing = true
      else wait_ms = Math.max(wait_ms, until_ms - now_ms)
    }
    if (wait_ms > 0) return { limit: 0, wait_ms: Math.min(wait_ms, token_look_ms), except_projects }
    if (!probing) return { limit: Number.POSITIVE_INFINITY, wait_ms: 0, except_projects }
    if (this.#probe_until_ms > now_ms) return { limit: 0, wait_ms: token_look_ms, except_projects }
    this.#probe_until_ms = now_ms + probe_lost_ms
    return { limit: 1, wait_ms: 0, except_projects }
  }

  /** For what was claimed before something tripped: whether it may not be begun now, by whoever uses these hosts. */
  rests(project_id: string, hosts: readonly ('api' | 'blob')[]): boolean {
    const now_ms = this.#tools.clock.now_ms()
    if (this.#paused_until_ms > now_ms) return true
    const concerns = (about: About) => {
      if (about.startsWith('project:')) return about === `project:${project_id}`
      return about !== 'blob' || hosts.includes('blob')
    }
    return [...this.#tripped].some(([about, { until_ms }]) => until_ms > now_ms && concerns(about))
  }

  /** The probe found nothing to do, or has ended, whether the service was asked or not. */
  unused(): void {
    this.#probe_until_ms = 0
  }

  /** Nothing is to be sent: what rested for its sake is no trouble any more. */
  async nothingToSend(): Promise<void> {
    const now_ms = this.#tools.clock.now_ms()
    for (const [about, { until_ms }] of [...this.#tripped]) {
      if (until_ms > now_ms) continue
      if (about === 'blob') await this.#heal(about)
      if (!about.startsWith('project:')) continue
      if (this.#tools.audited?.some((project) => about === `project:${project}`)) continue
      const others = this.#tools.projects.filter((project) => about !== `project:${project}`)
      if (!(await this.#tools.ledger.dueElsewhere(others, far_ahead_ms))) await this.#heal(about)
    }
  }

  /** Answers `hold` where the item itself is not at fault and must keep its state, `count` where it may be. */
  async failed(failure: Failure, project_id: string, host: 'api' | 'blob'): Promise<'hold' | 'count'> {
    this.#probe_until_ms = 0
    // Tried again it carries the other one.
    if (failure.of_old_token) return 'hold'
    if (failure.about === 'account') return this.#trip('account', failure)
    // What is left of a project that is no longer asked for is a matter of its own.
    if (failure.about === 'project' && !this.asksFor(project_id)) return 'count'
    if (failure.about === 'project') return this.#trip(`project:${project_id}`, failure)
    if (!of_a_host.includes(failure.about)) return 'count'
    if (!this.#is_retired && isTooMuch(failure)) this.#tools.onSlowDown()
    if (failure.retry_after_ms !== undefined) return this.#trip(host, failure, failure.retry_after_ms)
    const in_a_row = (this.#in_a_row.get(host) ?? 0) + 1
    this.#in_a_row.set(host, in_a_row)
    return in_a_row >= failures_to_trip ? this.#trip(host, failure) : 'count'
  }

  async succeeded(project_id: string, host: 'api' | 'blob'): Promise<void> {
    this.#in_a_row.delete(host)
    if (this.#tripped.size === 0) return
    this.#probe_until_ms = 0
    const healed: About[] = host === 'blob' ? ['blob'] : ['account', 'api', `project:${project_id}`]
    for (const about of healed) await this.#heal(about)
  }

  /** A person stops what goes out: what was claimed before and is not begun goes back; the ledger hands out no more. */
  pause(until_ms = Number.POSITIVE_INFINITY): void {
    this.#paused_until_ms = until_ms
  }

  resume(): void {
    this.#paused_until_ms = Number.NEGATIVE_INFINITY
  }

  /** Another token is shown from now on: what the last one was told says nothing about it. */
  tokenChanged(): void {
    const account = this.#tripped.get('account')
    if (!account) return
    account.until_ms = this.#tools.clock.now_ms()
    account.attempts = 0
  }

  /**
   * Another service is in force, or another way to this one, with circuits of its own: no trouble here is one any more, and from
   * now on nothing is told, for the ledger knows one trouble of a kind and it would be that of the other.
   */
  async retire(): Promise<void> {
    const told = [...this.#tripped].filter(([, tripped]) => tripped.told).map(([about]) => about)
    this.#is_retired = true
    for (const about of told) this.#tools.report.trouble(about, 'left behind: another service is in force', 'info')
    if (told.length > 0) await this.#tools.ledger.record(told.map((about) => ({ type: 'trouble_ended', about })))
  }

  /** Whether the configuration in force names this project. */
  asksFor(project_id: string): boolean {
    return this.#tools.projects.includes(project_id)
  }

  /** Of projects that are no longer asked for. */
  async forgetProjectsExcept(projects: readonly string[]): Promise<void> {
    for (const about of [...this.#tripped.keys()]) {
      if (about.startsWith('project:') && !projects.some((project) => about === `project:${project}`))
        await this.#heal(about)
    }
  }

  /** What rests now, and since when. */
  tripped(): { about: About; since_ms: number; until_ms: number; asked_to_wait: boolean; message: string }[] {
    return [...this.#tripped].map(([about, { since_ms, until_ms, asked_to_wait, message }]) => {
      return { about, since_ms, until_ms, asked_to_wait, message }
    })
  }

  async #trip(about: About, failure: Failure, pause_ms?: number): Promise<'hold'> {
    const now_ms = this.#tools.clock.now_ms()
    const before = this.#tripped.get(about)
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
    const told = !this.#is_retired && (before?.told === true || is_long)
    this.#tripped.set(about, {
      attempts: attempts + 1,
      until_ms: now_ms + wait_ms,
      since_ms,
      message,
      told,
      asked_to_wait: pause_ms !== undefined,
    })
    const status_code = failure.status === undefined ? failure.about : `http.${failure.status}`
    const code = pause_ms === undefined ? (failure.code ?? status_code) : code_of_pause
    if (told && !before?.told) await this.#tell(about, code, message)
    return 'hold'
  }

  async #tell(about: About, code: string, message: string): Promise<void> {
    this.#tools.report.trouble(about, `${message.replace(/\.$/, '')}. ${hintFor(about)}`, 'error')
    await this.#tools.ledger.record([{ type: 'trouble_began', about, error: { code, message, hint: hintFor(about) } }])
  }

  async #heal(about: About): Promise<void> {
    const tripped = this.#tripped.get(about)
    if (!tripped) return
    this.#tripped.delete(about)
    if (!tripped.told || this.#is_retired) return
    this.#tools.report.trouble(about, 'right again', 'info')
    await this.#tools.ledger.record([{ type: 'trouble_ended', about }])
  }

  #lookAtToken(now_ms: number): void {
    const account = this.#tripped.get('account')
    if (!account || now_ms - this.#token_looked_ms < token_look_ms) return
    this.#token_looked_ms = now_ms
    try {
      if (this.#tools.reloadToken()) this.tokenChanged()
    } catch (error) {
      this.#tools.report.trouble('account', messageOf(error), 'error')
    }
  }
}

function isTooMuch({ status, code }: Failure): boolean {
  return status === 429 || status === 503 || code === 'network.timeout'
}

function hintFor(about: About): string {
  if (about === 'account')
    return 'Nothing is sent until the token works: renew it where it came from; it is read again by itself'
  if (about === 'api')
    return 'It is tried again by itself; if it lasts, check service.base_url, the network and the proxy'
  if (about === 'blob')
    return 'It is tried again by itself; if it lasts, check that the blob host can be reached from here'
  return 'Nothing is sent to this project: check project_id in the config, and that the token may use it'
}
