import type { HttpClient } from '../../base/net/http-client.ts'
import { messageOf } from '../../base/run/errors.ts'
import type { Heartbeat, SilentHeartbeat } from '../../base/run/heartbeat.ts'
import { programVersion } from '../../base/run/process.ts'
import { runWorker } from '../../base/run/worker.ts'
import { type Clock, isoTime, minute_ms, second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { outgoingUrl, readSecretFile } from '../../deliver/target.ts'
import { bytesPerSecondAt } from '../../domain/bandwidth.ts'
import { openHealthView } from '../../ledger/views/view-health.ts'
import { healthOf } from '../../status/health/health.ts'
import { healthFacts } from '../../status/health/health-facts.ts'
import {
  type HealthFacts,
  type Problem,
  problemsOf,
  promptHealth,
} from '../../status/health/problems.ts'
import type { Metrics } from '../../status/metrics.ts'
import type { SyncReport } from '../../sync/report.ts'
import { stuckAfter_ms } from '../limits.ts'
import { ledger_heartbeat, type Tools } from '../tools.ts'
import { createAlertRaiser, recordUnlessStuck } from './alert-raiser.ts'
import type { HealthAnswer, HealthEndpoints } from './health-endpoints.ts'

export interface HealthKeeperOptions {
  tools: Tools
  config: () => Config
  /** Maximum number of parallel upload calls at this moment. */
  width: () => number
  /** For the checker, and for alerts that cannot be recorded; never sends the service's token. */
  receivers: HttpClient
}

/** Maximum number of arrivals counted per check; the next check counts the rest. */
const arrivals_at_once = 5_000
/** Interval of checks for the end of a delivery; short, because a caller waits for it. */
const due_again_ms = 50
/** Interval between records of `daemon_at_work`; a crash loses at most about this much of it. */
const at_work_ms = minute_ms

/**
 * Judges the health regularly, logs its changes, raises alerts, pings the checker, and serves
 * /healthz, /readyz and /metrics if the config enables them. It lives as long as the process; each
 * check uses the config in force.
 */
export function keepHealth({ tools, config, width, receivers }: HealthKeeperOptions) {
  const { clock, heartbeats, report, measures } = tools
  const stop = new AbortController()
  const view = openHealthView(config().state_dir)
  const raiser = createAlertRaiser({
    ...tools,
    receivers,
    config,
    signal: stop.signal,
    isLedgerStuck,
  })
  const ping = createCheckerPing({ ...tools, receivers })
  const started_ms = clock.now_ms()
  /** Time of the last `daemon_at_work` record, by both clocks. The start records one too. */
  let at_work = { wall_ms: started_ms, monotonic_ms: Math.round(clock.monotonic_ms()) }
  let known = new Map<string, Problem>()
  let endpoints: HealthEndpoints | undefined
  let listens = 'off'
  let metrics: Metrics | undefined
  let seq = 0
  /** Callers that wait for a check that sends its alerts without the delay for grouping. */
  const asked: (() => void)[] = []
  const on_error = (error: unknown) => report.fault('health', error)
  const worker = runWorker({
    name: 'health',
    step,
    clock,
    heartbeats,
    signal: stop.signal,
    on_error,
  })

  async function step(_signal: AbortSignal, heartbeat: Heartbeat): Promise<{ wait_ms: number }> {
    const { health: limits, alerts } = config()
    const waiting = asked.splice(0)
    await heartbeat.during(recordAtWork())
    const health = healthOf(currentFacts(), limits)
    log(health.problems)
    try {
      await serve(limits.listen)
      if (metrics) countArrivals(metrics)
    } finally {
      // An address in use must not delay alerts and pings.
      const group_ms = waiting.length > 0 ? 0 : alerts.group_ms
      await heartbeat.during(raiser.check(health.problems, view, group_ms))
      for (const resolve of waiting) resolve()
      if (health.healthy) await ping(alerts, stop.signal)
    }
    return { wait_ms: limits.check_ms }
  }

  /**
   * Records once a minute, after a sleep of the machine (which stops the monotonic clock), and at
   * each check while the ledger has a fault. This shows that the ledger can record, or can again.
   */
  async function recordAtWork(): Promise<void> {
    const now = { wall_ms: clock.now_ms(), monotonic_ms: Math.round(clock.monotonic_ms()) }
    const awake_ms = now.monotonic_ms - at_work.monotonic_ms
    const since_ms = now.wall_ms - awake_ms
    const has_slept = Math.abs(since_ms - at_work.wall_ms) > at_work_ms
    if (awake_ms < at_work_ms && !has_slept && !tools.ledgerTrouble()) return
    try {
      await recordUnlessStuck({ ...tools, isLedgerStuck }, [{ type: 'daemon_at_work', since_ms }])
      at_work = now
    } catch (error) {
      // The health already has a reason for such a failure.
      if (!tools.ledgerTrouble() && !isLedgerStuck()) on_error(error)
    }
  }

  /** Stuck work, the ledger first: workers that wait for the ledger hang with it. */
  function stuck(): SilentHeartbeat[] {
    const silent = heartbeats.stuck(stuckAfter_ms(config()))
    return silent.sort((one, other) => Number(isOfLedger(other)) - Number(isOfLedger(one)))
  }

  function isLedgerStuck(): boolean {
    return stuck().some(isOfLedger)
  }

  function currentFacts(): HealthFacts {
    const now_ms = clock.now_ms()
    const in_force = config()
    const trouble = tools.ledgerTrouble()
    const ledger_fault = trouble && {
      message: trouble.error.message,
      hint: trouble.error.hint,
      since_ms: trouble.since_ms,
    }
    const prompts = in_force.prompts.length === 0 ? [] : promptHealth(view, in_force, now_ms)
    return healthFacts(view, in_force, now_ms, { prompts, ledger_fault, stuck: stuck() })
  }

  /** Omits problems of the account and of projects, which were logged when they began. */
  function log(problems: readonly Problem[]): void {
    const unlogged = problems.filter(({ kind }) => kind !== 'account' && kind !== 'project')
    const now = new Map(unlogged.map((problem) => [`${problem.kind} ${problem.about}`, problem]))
    for (const [name, { message, hint }] of now) {
      if (!known.has(name)) report.trouble('health', `${message}. ${hint}`, 'error')
    }
    for (const [name, { message }] of known) {
      if (!now.has(name)) report.trouble('health', `resolved: ${message}`, 'info')
    }
    known = now
  }

  /** If the address is in use, the next check tries again: a stopping daemon may still hold it. */
  async function serve(listen: string): Promise<void> {
    if (listen === listens) return
    await endpoints?.close()
    endpoints = undefined
    listens = 'off'
    if (listen !== 'off') {
      const counted = await count()
      const { serveHealth } = await import('./health-endpoints.ts')
      endpoints = await serveHealth(listen, {
        '/healthz': async () => alive(),
        '/readyz': async () => ready(),
        '/readyz/folder/:name': async (name) => ready('folder', name),
        '/readyz/prompt/:name': async (name) => ready('prompt', name),
        '/metrics': () => scrape(counted),
      })
    }
    listens = listen
  }

  /** Starts counting. Before the endpoint is enabled, no caller can ask for the counts. */
  async function count(): Promise<Metrics> {
    if (metrics) return metrics
    const { Metrics } = await import('../../status/metrics.ts')
    metrics = new Metrics(programVersion(), started_ms)
    seq = view.newestArrival().seq
    measures.current = metrics
    return metrics
  }

  function countArrivals(counted: Metrics): void {
    const arrivals = view.arrivalsAfter(seq, arrivals_at_once)
    counted.arrived(arrivals)
    seq = arrivals.at(-1)?.seq ?? seq
  }

  function alive(): HealthAnswer {
    const silent = stuck()
    const lost = tools.ledgerLoss()?.error.message
    const is_alive = silent.length === 0 && lost === undefined
    const listed = silent.map(({ name, silent_ms }) => ({
      name,
      silent_s: Math.round(silent_ms / second_ms),
    }))
    const body = { alive: is_alive, stuck: listed, ledger: lost }
    return { status: is_alive ? 200 : 503, body }
  }

  /** With a name: only the problems of this folder or prompt. Error `health.unknown`. */
  function ready(what?: 'folder' | 'prompt', name = ''): HealthAnswer {
    const all = healthOf(currentFacts(), config().health).problems
    const problems = what ? problemsOf(all, config(), what, name) : all
    const listed = problems.map(({ since_ms, ...problem }) => ({
      ...problem,
      since: isoTime(since_ms),
    }))
    return {
      status: listed.length === 0 ? 200 : 503,
      body: { healthy: listed.length === 0, problems: listed },
    }
  }

  async function scrape(counted: Metrics): Promise<HealthAnswer> {
    countArrivals(counted)
    const facts = currentFacts()
    const { health, uploads } = config()
    const body = await counted.text({
      facts,
      health: healthOf(facts, health),
      folders: view.folders(),
      prompts: view.prompts(),
      audits: view.audits(),
      outdated: view.outdated(),
      upload_calls: width(),
      bandwidth_bytes_per_s: bytesPerSecondAt(uploads.bandwidth, facts.now_ms),
      last_ready_ms: view.newestArrival().at_ms,
      last_delivery_ms: view.lastDelivery_ms(),
    })
    return { status: 200, body, content_type: counted.content_type }
  }

  return {
    /** Address served, such as `127.0.0.1:9464`; undefined if not served, or not yet. */
    get address(): string | undefined {
      return endpoints?.address
    },
    wake: () => worker.wake(),
    /** Checks now, raises an alert at once, and resolves when no alert is due or in delivery. */
    async alertAtOnce(): Promise<void> {
      await new Promise<void>((resolve) => {
        asked.push(resolve)
        worker.wake()
      })
      await raiser.drained()
      while (!stop.signal.aborted && view.isAlertDue(clock.now_ms()))
        await clock.sleep(due_again_ms, stop.signal)
    },
    async close(): Promise<void> {
      stop.abort()
      await worker.ended
      await endpoints?.close()
      await receivers.close()
      await raiser.drained()
      measures.current = undefined
      view.close()
    },
  }
}

function isOfLedger({ name }: SilentHeartbeat): boolean {
  return name.startsWith(ledger_heartbeat)
}

/** Pings the external checker of `alerts.ping`, if there is one, at a fixed interval. */
function createCheckerPing(tools: { clock: Clock; receivers: HttpClient; report: SyncReport }) {
  const { clock, receivers, report } = tools
  let pinged_ms = Number.NEGATIVE_INFINITY
  let is_down = false

  /** Logs the first of several failures, and the success after them. Never throws. */
  return async (
    { ping: checker, ping_every_ms }: Config['alerts'],
    signal: AbortSignal,
  ): Promise<void> => {
    if (!checker) return
    const now_ms = clock.monotonic_ms()
    if (now_ms - pinged_ms < ping_every_ms) return
    pinged_ms = now_ms
    try {
      const address =
        checker.url ?? (await readSecretFile(checker.url_file ?? '', 'the address of the checker'))
      await ping(address, receivers, signal)
      if (is_down) report.trouble('alerts.ping', 'the checker answers again', 'info')
      is_down = false
    } catch (error) {
      if (signal.aborted || is_down) return
      is_down = true
      const more = 'Sluice goes on pinging, and logs when the checker answers again'
      report.trouble('alerts.ping', `the ping failed: ${messageOf(error)}. ${more}`, 'error')
    }
  }
}

/** Sends one GET. Errors: `network.*`, or a message that the address or the answer is unusable. */
async function ping(address: string, http: HttpClient, signal: AbortSignal): Promise<void> {
  const url = outgoingUrl(address)
  if (!url) throw new Error('its address cannot be used')
  const only_status = { headers: {}, max_body_ms: second_ms }
  const { status } = await http.request({ method: 'GET', url, ...only_status, signal })
  if (status >= 400) throw new Error(`it answered ${status}`)
}
