import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { type Clock, system_clock } from '../../../src/base/time/time.ts'
import type { RunFact } from '../../../src/domain/run.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import type { RunWork } from '../../../src/ledger/prompt-work.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { openPromptsView, type RunView } from '../../../src/ledger/views/view-prompts.ts'
import { answerRun } from '../../../src/prompts/ask/answer-run.ts'
import type {
  AskingLimits,
  PromptScope,
  PromptSettings,
} from '../../../src/prompts/prompt-settings.ts'
import type { PromptReport, RunTools } from '../../../src/prompts/run-tools.ts'
import { createRemote, type Remote } from '../../../src/remote/remote.ts'
import type { ProfileName, ServiceOptions } from '../../../src/service/options.ts'
import { type Circuits, createCircuits } from '../../../src/sync/circuits.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { faultsOf } from '../../ledger/broken-rules.ts'
import { no_limits, nothing_seen } from '../../ledger/fixture.ts'
import { stat, ticket } from '../../ledger/views/view-rig.ts'
import { successOf } from '../../remote/fixture.ts'
import type { Service } from '../../rig/local-service.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { type Client, start } from '../../service/fixture.ts'

export interface RunRigOptions {
  profile?: ProfileName
  service?: Partial<ServiceOptions>
  settings?: Partial<PromptSettings>
  scope?: Partial<PromptScope>
  asking?: Partial<AskingLimits>
  clock?: Clock
}

const patient = 20_000
const quick: AskingLimits = {
  first_ms: 5,
  max_ms: 30,
  deadline_ms: { auto: patient, fast: patient, expert: patient, research: patient },
  find_turn_ms: 200,
  deliver_first_ms: 10,
  max_deliver_ms: 50,
  deliver_give_up_ms: 60_000,
}

/**
 * A real service and a real ledger with a folder `notes` and a prompt `digest`. A test moves the
 * runs step by step.
 */
export async function openRunRig(options: RunRigOptions = {}): Promise<RunRig> {
  const client = await start({ profile: options.profile ?? 'default', ...options.service })
  const rig = new RunRig(client, options)
  onTestFinished(() => rig.close())
  await rig.open()
  return rig
}

export class RunRig {
  readonly service: Service
  readonly project_id: string
  readonly remote: Remote
  readonly reports = makeTree()
  readonly reported: string[] = []
  soft = new AbortController()
  readonly hard = new AbortController()
  token: string
  /** Settings of the prompt `digest`. */
  settings: PromptSettings
  readonly others: PromptSettings[] = []
  asking: AskingLimits
  ledger!: Ledger
  circuits!: Circuits
  readonly #state_dir = join(makeStore(), 'state')
  readonly #clock: Clock
  #next_due_ms: number

  constructor({ service, project_id, token }: Client, options: RunRigOptions) {
    const { settings, scope, asking, clock = system_clock } = options
    this.#clock = clock
    this.#next_due_ms = clock.now_ms()
    this.service = service
    this.project_id = project_id
    this.token = token
    this.asking = { ...quick, ...asking }
    this.settings = { ...plainSettings(project_id, this.reports), ...settings }
    this.settings = { ...this.settings, scope: { ...this.settings.scope, ...scope } }
    this.remote = createRemote({
      base_url: service.api,
      token: () => this.token,
      connections: 4,
      user_agent: 'sluice-test',
      clock,
    })
  }

  async open(): Promise<void> {
    this.ledger = await openLedger({
      state_dir: this.#state_dir,
      limits: no_limits,
      clock: this.#clock,
    })
    const { ledger, project_id } = this
    this.circuits = createCircuits({
      ledger,
      clock: this.#clock,
      report: silent as unknown as SyncReport,
      reloadToken: async () => true,
      onSlowDown: () => {},
      projects: [project_id],
    })
    const folder = {
      name: 'notes',
      root: '/srv/notes',
      project_id,
      labels: [],
      label_from: 'none',
      rules: '',
    } as const
    const prompts = [this.settings, ...this.others].map(({ name }) => {
      return {
        name,
        project_id,
        schedule: '0 8 * * 1',
        first_run: 'all',
        folders: ['notes'],
      } as const
    })
    await ledger.record([
      { type: 'folder_configured', folder },
      { type: 'folder_online', folder: 'notes', device: 1n },
      { type: 'prompts_configured', prompts },
    ])
  }

  async close(): Promise<void> {
    this.soft.abort()
    this.hard.abort()
    await this.remote.close()
    await this.ledger.close()
    expect(faultsOf(this.#state_dir), 'what is wrong in the ledger').toEqual([])
  }

  /** Reopens the ledger, as after a crash: all claims are free. */
  async reopen(): Promise<void> {
    await this.ledger.close()
    await this.open()
  }

  /** Adds a prompt; call it before the ledger is reopened. */
  addPrompt(name: string, change: Partial<PromptSettings> = {}): void {
    this.others.push({ ...this.settings, name, ...change })
  }

  tools(): RunTools {
    const { ledger, remote, circuits: circuit, asking } = this
    const prompts = new Map(
      [this.settings, ...this.others].map((settings) => [settings.name, settings]),
    )
    const { soft, hard } = { soft: this.soft.signal, hard: this.hard.signal }
    const common = {
      ledger,
      remote,
      circuit,
      clock: this.#clock,
      report: this.report,
      heartbeats: unwatched,
    }
    return { ...common, prompts, asking, page_url: undefined, soft, hard }
  }

  /** Adds a file that is ready on the service, and returns its asset. */
  async bringIn(path: string, text = `About ${path}: the harbour.`): Promise<string> {
    const { project_id, remote } = this
    const md5 = createHash('md5').update(text).digest('hex')
    const created = successOf(
      await remote.createAsset(project_id, { filename: path, mime_type: 'text/markdown', md5 }),
    )
    const { asset_id } = created
    if (created.kind === 'slot') {
      successOf(
        await remote.putBytes(created.ticket, {
          bytes: Buffer.from(text),
          size: Buffer.byteLength(text),
        }),
      )
      successOf(await remote.completeAsset(project_id, asset_id))
      await until(
        'ready',
        async () => successOf(await remote.readAsset(project_id, asset_id)).status === 'ready',
      )
    }
    const content = await this.settle(path, md5, text.length)
    await this.ledger.record([
      { type: 'slot_intended', content },
      { type: 'slot_reserved', content, asset_id, ticket },
      { type: 'bytes_accepted', content },
      { type: 'ingest_started', content, not_before_ms: 0 },
      { type: 'asset_ready', content },
    ])
    return asset_id
  }

  async settle(path: string, md5: string, size = 10): Promise<number> {
    await this.ledger.record([
      { type: 'file_settled', folder: 'notes', path, stat: stat(size), md5 },
    ])
    const view = openLedgerView(this.#state_dir)
    try {
      return view.story('notes', path)!.content!.id
    } finally {
      view.close()
    }
  }

  /** Makes a run due, after a scan of the folder. */
  async due(prompt = 'digest'): Promise<number> {
    const due_ms = this.#next_due_ms++
    await this.ledger.record([{ type: 'run_due', prompt, due_ms, cause: 'user' }])
    await this.scan()
    return due_ms
  }

  /** Records a complete scan of the folder that begins now. */
  async scan(): Promise<void> {
    const began_ms = this.#clock.now_ms()
    await this.ledger.record([
      { type: 'scan_finished', folder: 'notes', began_ms, summary: nothing_seen },
    ])
  }

  async claim(): Promise<RunWork | undefined> {
    const { work } = await this.ledger.claimRuns(1, { except_projects: [] })
    return work[0]
  }

  /** Takes one step of the oldest run, and returns the state before it. */
  async step(): Promise<RunWork['state'] | undefined> {
    const work = await this.claim()
    if (!work) return undefined
    await answerRun(work, this.tools())
    this.ledger.release('run', [work.run])
    return work.state
  }

  /** Steps until no run can be moved; returns the states on the way. */
  async run(max = 20): Promise<string[]> {
    const states: string[] = []
    for (let step = 0; step < max; step++) {
      const state = await this.step()
      if (state === undefined) return states
      states.push(state)
    }
    throw new Error(`no end after ${max} steps: ${states.join(', ')}`)
  }

  /** Steps until a run waits in this state. */
  async runTo(state: RunWork['state']): Promise<RunWork> {
    for (;;) {
      const work = await this.claim()
      if (!work) throw new Error(`no run came to ${state}: ${this.reported.join('; ')}`)
      this.ledger.release('run', [work.run])
      if (work.state === state) return work
      await this.step()
    }
  }

  record(...facts: RunFact[]): Promise<void> {
    return this.ledger.record(facts)
  }

  starts(): number {
    return this.service.requestLog.filter(({ place }) => place === 'chats.start').length
  }

  appends(): number {
    return this.service.requestLog.filter(({ place }) => place === 'messages.append').length
  }

  /** The view of `prompts show`. */
  shown(run: number): RunView {
    const view = openPromptsView(this.#state_dir)
    try {
      return view.run(run)!
    } finally {
      view.close()
    }
  }

  chats() {
    return this.service.chats(this.project_id)
  }

  report: PromptReport = {
    asked: (run) => this.reported.push(`asked ${run}`),
    answered: (run) => this.reported.push(`answered ${run}`),
    written: (run, path) => this.reported.push(`written ${run}: ${path}`),
    skipped: (reason, run) => this.reported.push(`skipped ${run}: ${reason}`),
    failed: (reason, run) => this.reported.push(`failed ${run}: ${reason}`),
    delivered: (run, target) => this.reported.push(`delivered ${run}: ${target}`),
    later: (reason, run) => this.reported.push(`later ${run}: ${reason}`),
    fault: (where, error) => this.reported.push(`fault ${where}: ${error}`),
  }

  /** The text of the one report that was written. */
  written(): string {
    const line = this.reported.find((text) => text.startsWith('written'))
    if (line === undefined) throw new Error(`nothing was written: ${this.reported.join('; ')}`)
    return readFileSync(line.slice(line.indexOf(': ') + 2), 'utf8')
  }
}

const silent = new Proxy({}, { get: () => () => {} })

/** A prompt `digest` over the folder `notes`, whose reports go to `dir`. */
export function plainSettings(project_id: string, dir: string): PromptSettings {
  return {
    name: 'digest',
    project_id,
    schedule: { cron: '0 8 * * 1', timezone: 'Europe/Berlin' },
    prompt: 'What is new in {{folders}}? {{count}} files: {{files}}',
    intelligence: 'fast',
    provider: undefined,
    skills: [],
    read: 'search',
    public_data: undefined,
    language: 'en',
    scope: {
      folders: ['notes'],
      paths: [],
      fresh: 'since_last_run',
      labels: [],
      chats: [],
      concepts: [],
      projects: [],
      views: [],
    },
    first_run: 'all',
    when_nothing_new: 'skip',
    wait_for_files_ms: 0,
    max_assets: 200,
    when_too_many: 'next_run',
    continue_chat: false,
    catch_up_ms: 3_600_000,
    overlap: 'skip',
    report: { dir, file_name: '{{name}}-{{date}}.md' },
    deliver: [],
  }
}
