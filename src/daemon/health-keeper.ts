import type { HttpClient } from '../base/http-client.ts'
import type { Pulse, SilentPulse } from '../base/pulse.ts'
import { isoTime, minute_ms } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Config } from '../config/config.ts'
import { bytesPerSecondAt } from '../domain/bandwidth.ts'
import { type HealthView, openHealthView } from '../ledger/view-health.ts'
import { healthOf } from '../status/health.ts'
import { healthFacts } from '../status/health-facts.ts'
import type { Health, HealthFacts, Reason } from '../status/health-promises.ts'
import { promptHealth } from '../status/health-prompts.ts'
import type { Metrics } from '../status/metrics.ts'
import { AlertSender } from './alert-sender.ts'
import { CheckerPing } from './checker-ping.ts'
import type { HealthAnswer, HealthEndpoints } from './health-endpoints.ts'
import { stuckAfter_ms } from './limits.ts'
import { recordUnlessStuck } from './record-unless-stuck.ts'
import { ledger_pulse, type Tools } from './tools.ts'

export interface HealthKeeperOptions {
  tools: Tools
  /** That in force. */
  config: () => Config
  /** How many calls for uploads may be out at once now. */
  width: () => number
  /** To receivers of alerts, never with our token. */
  receivers: HttpClient
}

/** Arrivals that are counted at once; the rest follows with the next look. */
const arrivals_at_once = 5_000
/** What a crash takes with it of the time at work; a commit a minute is nothing. */
const at_work_ms = minute_ms

/**
 * Judges the health again and again, writes its changes into the log, tells people of them, pings the checker, and serves
 * /healthz, /readyz and /metrics where the config asks for it. It lives as long as the process; each look takes the config in force.
 */
export class HealthKeeper {
  readonly #options: HealthKeeperOptions
  readonly #stop = new AbortController()
  readonly #view: HealthView
  readonly #sender: AlertSender
  readonly #checker: CheckerPing
  readonly #worker: Worker
  readonly #started_ms: number
  /** When it was last recorded that the daemon is at work, by both clocks; its start says so as well. */
  #at_work: { wall_ms: number; monotonic_ms: number }
  #known = new Map<string, Reason>()
  #endpoints: HealthEndpoints | undefined
  #listens: string = 'off'
  #metrics: Metrics | undefined
  #seq = 0
  /** Callers that wait for a look whose alerts go out without the time for grouping. */
  #asked: (() => void)[] = []

  constructor(options: HealthKeeperOptions) {
    const { tools, config, receivers } = options
    this.#options = options
    this.#started_ms = tools.clock.now_ms()
    this.#at_work = { wall_ms: this.#started_ms, monotonic_ms: tools.clock.monotonic_ms() }
    this.#view = openHealthView(config().state_dir)
    this.#sender = new AlertSender({
      ...tools,
      receivers,
      config,
      signal: this.#stop.signal,
      isLedgerStuck: () => this.#isLedgerStuck(),
    })
    this.#checker = new CheckerPing({ ...tools, receivers })
    this.#worker = runWorker({
      name: 'health',
      step: (_signal, pulse) => this.#look(pulse),
      clock: tools.clock,
      pulses: tools.pulses,
      signal: this.#stop.signal,
      on_error: (error) => tools.report.fault('health', error),
    })
  }

  /** Where it is served, `127.0.0.1:9464`; undefined where it is not, or not yet. */
  get address(): string | undefined {
    return this.#endpoints?.address
  }

  /** Look now. */
  wake(): void {
    this.#worker.wake()
  }

  /**
   * Looks now, sends at once what is wrong, and resolves when no alert is due or under way any
   * more.
   */
  async tellAtOnce(): Promise<void> {
    do {
      await this.#sender.drained()
      await new Promise<void>((resolve) => {
        this.#asked.push(resolve)
        this.#worker.wake()
      })
    } while (this.#sender.is_delivering)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#worker.ended
    await this.#endpoints?.close()
    await this.#options.receivers.close()
    await this.#sender.drained()
    this.#options.tools.measures.current = undefined
    this.#view.close()
  }

  async #look(pulse: Pulse): Promise<{ wait_ms: number }> {
    const { config } = this.#options
    const { health: limits, alerts } = config()
    const asked = this.#asked.splice(0)
    await pulse.during(this.#recordAtWork())
    const health = healthOf(this.#facts(), limits)
    this.#log(health.reasons)
    try {
      await this.#serve(limits.listen)
      this.#countArrivals()
    } finally {
      // Who waits for alerts and for the ping does not pay for an address that is taken.
      const group_ms = asked.length > 0 ? 0 : alerts.group_ms
      await pulse.during(this.#sender.look(health.reasons, this.#view, group_ms))
      for (const resolve of asked) resolve()
      if (health.healthy) await this.#checker.look(alerts, this.#stop.signal)
    }
    return { wait_ms: limits.look_ms }
  }

  /**
   * What is not recorded now is recorded with the next look. Quiet as it may be otherwise, the ledger must show by this that it
   * can record, or can again. A machine that slept stopped the monotonic clock, and not the other one.
   */
  async #recordAtWork(): Promise<void> {
    const { tools } = this.#options
    const now = { wall_ms: tools.clock.now_ms(), monotonic_ms: tools.clock.monotonic_ms() }
    const awake_ms = now.monotonic_ms - this.#at_work.monotonic_ms
    const since_ms = now.wall_ms - awake_ms
    const has_slept = Math.abs(since_ms - this.#at_work.wall_ms) > at_work_ms
    if (awake_ms < at_work_ms && !has_slept && !tools.ledgerTrouble()) return
    const recorder = { ...tools, isLedgerStuck: () => this.#isLedgerStuck() }
    try {
      await recordUnlessStuck(recorder, [{ type: 'daemon_at_work', since_ms }])
      this.#at_work = now
    } catch (error) {
      // Told as a reason.
      if (!tools.ledgerTrouble() && !this.#isLedgerStuck()) tools.report.fault('health', error)
    }
  }

  /** What hangs; the ledger first, for whoever waits for it hangs as well. */
  #stuck(): SilentPulse[] {
    const { tools, config } = this.#options
    const stuck = tools.pulses.stuck(stuckAfter_ms(config()))
    return stuck.sort((one, other) => Number(isOfLedger(other)) - Number(isOfLedger(one)))
  }

  #isLedgerStuck(): boolean {
    return this.#stuck().some(isOfLedger)
  }

  #facts(): HealthFacts {
    const { tools, config } = this.#options
    const now_ms = tools.clock.now_ms()
    const in_force = config()
    const trouble = tools.ledgerTrouble()
    const ledger_fault = trouble && {
      message: trouble.error.message,
      hint: trouble.error.hint,
      since_ms: trouble.since_ms,
    }
    const prompts = in_force.prompts.length === 0 ? [] : promptHealth(this.#view, in_force, now_ms)
    return healthFacts(this.#view, in_force, now_ms, { prompts, ledger_fault, stuck: this.#stuck() })
  }

  #log(reasons: readonly Reason[]): void {
    const { report } = this.#options.tools
    const now = new Map(reasons.map((reason) => [`${reason.promise} ${reason.about}`, reason]))
    for (const [name, { message, hint }] of now) {
      if (!this.#known.has(name)) report.trouble(`health, ${name}`, `${message}. ${hint}`, 'error')
    }
    for (const name of this.#known.keys()) {
      if (!now.has(name)) report.trouble(`health, ${name}`, 'right again', 'info')
    }
    this.#known = now
  }

  /** An address that is taken is tried again at the next look: it may be that of the daemon that is just leaving. */
  async #serve(listen: string): Promise<void> {
    if (listen === this.#listens) return
    await this.#endpoints?.close()
    this.#endpoints = undefined
    this.#listens = 'off'
    if (listen !== 'off') {
      await this.#count()
      const { serveHealth } = await import('./health-endpoints.ts')
      this.#endpoints = await serveHealth(listen, {
        '/healthz': async () => this.#alive(),
        '/readyz': async () => this.#ready(),
        '/metrics': async () => this.#scrape(),
      })
    }
    this.#listens = listen
  }

  /** From here on it is counted; before somebody can ask there is nobody to count for. */
  async #count(): Promise<void> {
    if (this.#metrics) return
    const { Metrics } = await import('../status/metrics.ts')
    this.#metrics = new Metrics(programVersion(), this.#started_ms)
    this.#seq = this.#view.newestArrival().seq
    this.#options.tools.measures.current = this.#metrics
  }

  #countArrivals(): void {
    if (!this.#metrics) return
    const arrivals = this.#view.arrivalsAfter(this.#seq, arrivals_at_once)
    this.#metrics.arrived(arrivals)
    this.#seq = arrivals.at(-1)?.seq ?? this.#seq
  }

  #alive(): HealthAnswer {
    const stuck = this.#stuck()
    const lost = this.#options.tools.ledgerLoss()?.error.message
    const alive = stuck.length === 0 && lost === undefined
    const body = { alive, stuck: stuck.map(silence), ...(lost === undefined ? {} : { ledger: lost }) }
    return { status: alive ? 200 : 503, body }
  }

  #ready(): HealthAnswer {
    const { healthy, reasons } = healthOf(this.#facts(), this.#options.config().health)
    const told = reasons.map(({ since_ms, ...reason }) => ({ ...reason, since: isoTime(since_ms) }))
    return { status: healthy ? 200 : 503, body: { healthy, reasons: told } }
  }

  async #scrape(): Promise<HealthAnswer> {
    const metrics = this.#metrics!
    this.#countArrivals()
    const facts = this.#facts()
    const health: Health = healthOf(facts, this.#options.config().health)
    const view = this.#view
    const body = await metrics.text({
      facts,
      health,
      folders: view.folders(),
      prompts: view.prompts(),
      audits: view.audits(),
      outdated: view.outdated(),
      upload_calls: this.#options.width(),
      bandwidth_bytes_per_s: bytesPerSecondAt(this.#options.config().uploads.bandwidth, facts.now_ms),
      last_ready_ms: view.newestArrival().at_ms,
      last_delivery_ms: view.lastDelivery_ms(),
    })
    return { status: 200, body, content_type: metrics.content_type }
  }
}

function isOfLedger({ name }: SilentPulse): boolean {
  return name.startsWith(ledger_pulse)
}

function silence({ name, silent_ms }: SilentPulse): { name: string; silent_s: number } {
  return { name, silent_s: Math.round(silent_ms / 1_000) }
}
