import { readdirSync } from 'node:fs'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { second_ms } from '../base/time/time.ts'
import type { Fact } from '../domain/fact.ts'
import { stages } from '../ledger/views/view-files.ts'
import type { FolderView } from '../ledger/views/view-folders.ts'
import type { ArrivalTimes, PromptHealth } from '../ledger/views/view-health.ts'
import { type Health, type HealthFacts, problem_kinds } from './health/problems.ts'

/** Values read for one scrape. `Metrics` itself keeps the counters. */
export interface MetricsSnapshot {
  facts: HealthFacts
  health: Health
  folders: readonly FolderView[]
  prompts: readonly PromptHealth[]
  audits: readonly { project_id: string; last_full: { ended_ms: number } | undefined }[]
  outdated: number
  /** Maximum number of parallel upload calls at this moment. */
  upload_calls: number
  /** Bandwidth limit for uploads at this moment; undefined without one. */
  bandwidth_bytes_per_s: number | undefined
  last_ready_ms: number | undefined
  last_delivery_ms: number | undefined
}

const save_to_ready_s = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400]
const scan_s = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600]

/**
 * Metrics in the Prometheus format. Labels are folders, projects, prompts and fixed words, never a
 * path. The config thus limits their number. Counters begin at 0 in each process, once the config
 * enables the metrics.
 */
export class Metrics implements Measures {
  readonly content_type: string
  readonly #registry = new Registry()
  readonly #sent_bytes = this.#counter(
    'sluice_sent_bytes_total',
    'Bytes of files that the service has taken.',
  )
  readonly #requests = this.#counter(
    'sluice_requests_total',
    'Requests to the service and its blob store, by outcome.',
    ['call', 'outcome'],
  )
  readonly #scans = this.#counter('sluice_scans_total', 'Complete scans.', ['folder'])
  readonly #missed = this.#counter(
    'sluice_events_missed_total',
    'Files that a scan found and the watcher missed.',
    ['folder'],
  )
  readonly #replaced = this.#counter(
    'sluice_watcher_replaced_total',
    'Watchers that were replaced, because they missed something or their directory is gone.',
    ['folder'],
  )
  readonly #given_up = this.#counter(
    'sluice_watcher_given_up_total',
    'Watchers that were given up for scans, because they missed something again.',
    ['folder'],
  )
  readonly #runs = this.#counter('sluice_prompt_runs_total', 'Runs of prompts that ended.', [
    'state',
  ])
  readonly #removed = this.#counter(
    'sluice_assets_removed_total',
    'Assets removed on the service by the policy of a folder.',
  )
  readonly #save_to_ready = this.#histogram(
    'sluice_save_to_ready_seconds',
    'Time from saving a file until it is ready in the assistant.',
    save_to_ready_s,
  )
  readonly #scan_time = this.#histogram(
    'sluice_scan_duration_seconds',
    'Duration of complete scans.',
    scan_s,
  )
  readonly #files = this.#gauge('sluice_files', 'Files by state.', ['folder', 'state'])
  readonly #online = this.#gauge('sluice_folder_online', '1 while the folder is online.', [
    'folder',
  ])
  readonly #watcher = this.#gauge(
    'sluice_folder_watcher',
    '1 for the watcher of the folder; scan: no watcher, scans on a timer.',
    ['folder', 'watcher'],
  )
  readonly #healthy = this.#gauge('sluice_healthy', '1 while there is no health problem.')
  readonly #problems = this.#gauge('sluice_problems', 'Number of health problems by kind.', [
    'kind',
  ])
  readonly #outdated = this.#gauge(
    'sluice_outdated_versions',
    'Versions in the assistant that no file has any more.',
  )
  readonly #failing = this.#gauge(
    'sluice_uploads_failing',
    'Contents whose upload failed: deferred, which are tried again, and given_up.',
    ['state'],
  )
  readonly #paused = this.#gauge('sluice_paused', '1 while a user has paused Sluice.')
  readonly #upload_calls = this.#gauge(
    'sluice_upload_calls_allowed',
    'Maximum number of parallel upload calls now.',
  )
  readonly #bandwidth = this.#gauge(
    'sluice_bandwidth_limit_bytes_per_second',
    'Limit of the upload rate now; 0 while there is no limit.',
  )
  readonly #queue_age = this.#gauge(
    'sluice_queue_oldest_age_seconds',
    'Age of the oldest waiting content; 0 when none waits.',
  )
  readonly #disk = this.#gauge('sluice_state_free_bytes', 'Free space on the disk of the ledger.')
  readonly #last_scan = this.#last('scan', 'The end of the last complete scan.', ['folder'])
  readonly #last_audit = this.#last('audit', 'The end of the last full audit.', ['project'])
  readonly #last_prompt = this.#last('prompt', 'The due time of the last written run.', ['prompt'])
  readonly #last_delivery = this.#last('delivery', 'When a report last reached a receiver.')
  readonly #last_ready = this.#last('ready', 'When a file last became ready.')
  readonly #last_upload = this.#last(
    'upload',
    'When the service last accepted the bytes of a file.',
  )

  constructor(version: string, started_ms: number) {
    this.content_type = this.#registry.contentType
    this.#gauge('sluice_build_info', 'Always 1; the version is a label.', ['version']).set(
      { version },
      1,
    )
    this.#sent_bytes.inc(0)
    this.#removed.inc(0)
    for (const state of ['written', 'empty', 'skipped', 'failed']) this.#runs.inc({ state }, 0)
    this.#process(started_ms)
  }

  facts(facts: readonly Fact[], now_ms: number): void {
    for (const fact of facts) {
      if (fact.type === 'scan_finished') this.#scanned(fact, now_ms)
      if (fact.type === 'folder_watched') {
        const { folder, replaced, given_up } = fact
        if (replaced !== undefined) this.#replaced.inc({ folder })
        if (given_up !== undefined) this.#given_up.inc({ folder })
      } else if (fact.type === 'bytes_accepted') this.#last_upload.set(now_ms / second_ms)
      else if (fact.type === 'asset_removed') this.#removed.inc()
      else if (fact.type === 'run_written')
        this.#runs.inc({ state: fact.empty === undefined ? 'written' : 'empty' })
      else if (fact.type === 'run_failed') this.#runs.inc({ state: 'failed' })
      else if (fact.type === 'run_skipped' || fact.type === 'run_passed_over')
        this.#runs.inc({ state: 'skipped' })
    }
  }

  sent(bytes: number): void {
    this.#sent_bytes.inc(bytes)
  }

  request(call: string, outcome: string): void {
    this.#requests.inc({ call, outcome })
  }

  arrived(arrivals: readonly ArrivalTimes[]): void {
    for (const { saved_ms, ready_ms } of arrivals) {
      if (saved_ms !== undefined)
        this.#save_to_ready.observe(Math.max(0, ready_ms - saved_ms) / second_ms)
    }
  }

  async text(snapshot: MetricsSnapshot): Promise<string> {
    const { facts, health, folders, prompts, audits, last_ready_ms, last_delivery_ms } = snapshot
    const { now_ms, waiting, disk, paused } = facts
    this.#show(folders)
    this.#healthy.set(health.healthy ? 1 : 0)
    for (const kind of problem_kinds) {
      this.#problems.set(
        { kind },
        health.problems.filter((problem) => problem.kind === kind).length,
      )
    }
    this.#outdated.set(snapshot.outdated)
    for (const state of ['deferred', 'given_up']) {
      const group = facts.failing.find(({ given_up }) => given_up === (state === 'given_up'))
      this.#failing.set({ state }, group?.contents ?? 0)
    }
    this.#paused.set(paused ? 1 : 0)
    this.#upload_calls.set(snapshot.upload_calls)
    this.#bandwidth.set(snapshot.bandwidth_bytes_per_s ?? 0)
    this.#queue_age.set(waiting ? Math.max(0, now_ms - waiting.since_ms) / second_ms : 0)
    if (disk) this.#disk.set(disk.free_bytes)
    this.#last_audit.reset()
    for (const { project_id: project, last_full } of audits) {
      if (last_full) this.#last_audit.set({ project }, last_full.ended_ms / second_ms)
    }
    this.#last_prompt.reset()
    for (const { name: prompt, last_written_due_ms: at_ms } of prompts) {
      if (at_ms !== undefined) this.#last_prompt.set({ prompt }, at_ms / second_ms)
    }
    if (last_ready_ms !== undefined) this.#last_ready.set(last_ready_ms / second_ms)
    if (last_delivery_ms !== undefined) this.#last_delivery.set(last_delivery_ms / second_ms)
    return this.#registry.metrics()
  }

  #show(folders: readonly FolderView[]): void {
    // Without a reset, a folder that left the config would keep its values.
    for (const gauge of [this.#files, this.#online, this.#watcher, this.#last_scan]) gauge.reset()
    for (const { name: folder, online, watch, scan_ended_ms, stages: amounts } of folders) {
      if (watch) this.#watcher.set({ folder, watcher: watch.watcher }, 1)
      this.#online.set({ folder }, online ? 1 : 0)
      for (const state of stages) this.#files.set({ folder, state }, amounts[state].files)
      if (scan_ended_ms !== undefined) this.#last_scan.set({ folder }, scan_ended_ms / second_ms)
    }
  }

  #scanned(
    { folder, began_ms, summary }: Extract<Fact, { type: 'scan_finished' }>,
    now_ms: number,
  ): void {
    this.#scans.inc({ folder })
    this.#missed.inc({ folder }, summary.missed ?? 0)
    this.#scan_time.observe(Math.max(0, now_ms - began_ms) / second_ms)
  }

  #counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] })
  }

  #last<Label extends string = never>(
    what: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    const gauge = this.#gauge(
      `sluice_last_${what}_timestamp_seconds`,
      `${help} Unix time.`,
      labelNames,
    )
    // Before the first event there is no time, and the initial 0 would mean the year 1970.
    if (labelNames.length === 0) gauge.remove()
    return gauge
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] })
  }

  /**
   * Process metrics, under the names that every client library uses. The collectors of prom-client
   * are not used: their timers and observers outlive the daemon.
   */
  #process(started_ms: number): void {
    const registers = [this.#registry]
    const read = (name: string, help: string, value: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value())
        },
      })
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system time of the processor.',
      registers,
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
    read('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
    read(
      'process_start_time_seconds',
      'Start time of the process, Unix time.',
      () => started_ms / second_ms,
    )
    read('process_open_fds', 'Open file descriptors.', openDescriptors)
  }
}

/** Known on Linux only; NaN on other systems. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return Number.NaN
  }
}

/** Receives events to count. File names and secrets must not reach the metrics. */
export interface Measures {
  facts(facts: readonly Fact[], now_ms: number): void
  /** Counts the bytes of one file that the service has taken. */
  sent(bytes: number): void
  /**
   * Counts a request to the service or its blob store that has ended. `outcome`: `ok`, or what the
   * failure is about.
   */
  request(call: string, outcome: string): void
}
