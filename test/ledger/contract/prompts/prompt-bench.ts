import type { Change, RunAsset, RunFact, RunPlan } from '../../../../src/domain/run.ts'
import type {
  Arrival,
  PromptState,
  RunWork,
  UnreadyFile,
} from '../../../../src/ledger/prompt-work.ts'
import { type Bench, project_id } from '../../fixture.ts'

export const run_fault = { code: 'http.503', message: 'the service rests' }

type Configured = Extract<RunFact, { type: 'prompts_configured' }>['prompts'][number]

/** Short methods for the facts of the scheduler, the reporter and the deliverer. */
export class PromptBench {
  readonly #bench: Bench
  #turns = 0

  constructor(bench: Bench) {
    this.#bench = bench
  }

  configure(...prompts: (Partial<Configured> & { name: string })[]): Promise<void> {
    const plain = {
      project_id,
      schedule: '0 8 * * 1 UTC',
      first_run: 'from_now',
      folders: ['docs'],
    } as const
    return this.#bench.record({
      type: 'prompts_configured',
      prompts: prompts.map((own) => ({ ...plain, ...own })),
    })
  }

  async state(prompt = 'digest'): Promise<PromptState> {
    const found = (await this.#bench.ledger.prompts()).find(({ name }) => name === prompt)
    if (!found) throw new Error(`no prompt ${prompt}`)
    return found
  }

  /** Records a run that came due now, a millisecond after the one before, and returns its id. */
  async due(
    prompt = 'digest',
    change: { due_ms?: number; cause?: 'schedule' | 'catch_up' | 'user' } = {},
  ) {
    await this.#bench.clock.advance(1)
    const due_ms = change.due_ms ?? this.#bench.clock.now_ms()
    await this.#bench.record({ type: 'run_due', prompt, due_ms, cause: change.cause ?? 'schedule' })
    return (await this.state(prompt)).open_runs.find((run) => run.due_ms === due_ms)?.run ?? 0
  }

  plan(run: number, assets: readonly Arrival[], change: Partial<RunPlan> = {}): Promise<void> {
    const bodies = ['{"prompt":"what is new?"}']
    const plan = { bodies, assets: assets.map(runAsset), refusals: [], coverage: '{}', ...change }
    return this.#bench.record({ type: 'run_planned', run, plan })
  }

  async ask(run: number): Promise<{ chat_id: string; message_id: string }> {
    const turn = ++this.#turns
    const ids = { chat_id: `chat_${turn}`, message_id: `message_${turn}` }
    await this.#bench.record({ type: 'turn_intended', run, body: `body ${turn}` })
    await this.#bench.record({ type: 'turn_asked', run, ...ids })
    return ids
  }

  async answer(run: number, answer = 'nothing much'): Promise<void> {
    await this.ask(run)
    await this.#bench.record({ type: 'turn_answered', run, answer })
  }

  write(run: number, ...targets: string[]): Promise<void> {
    return this.#bench.record({
      type: 'run_written',
      run,
      report_path: `/reports/${run}.md`,
      targets,
    })
  }

  /** Records all steps of a run about these assets. */
  async writeReport(
    assets: readonly Arrival[],
    prompt = 'digest',
    targets: readonly string[] = [],
  ): Promise<number> {
    const run = await this.due(prompt)
    await this.plan(run, assets)
    await this.answer(run)
    await this.write(run, ...targets)
    return run
  }

  async claim(limit = 10, except_projects: readonly string[] = []): Promise<RunWork[]> {
    return (await this.#bench.ledger.claimRuns(limit, { except_projects })).work
  }

  /** Claims the runs, releases them, and returns this one. */
  async check(run: number): Promise<RunWork> {
    const work = await this.claim(1_000)
    this.#bench.ledger.release(
      'run',
      work.map((one) => one.run),
    )
    const found = work.find((one) => one.run === run)
    if (!found) throw new Error(`run ${run} is not handed out`)
    return found
  }

  /** All pages. */
  async arrivals(
    folders: string[],
    change: { prompt?: string; only_fresh?: boolean; only_come?: boolean; since_ms?: number } = {},
    limit = 2,
  ) {
    const found: Arrival[] = []
    const query = { prompt: 'digest', only_fresh: true, only_come: true, folders, limit, ...change }
    for (let after: { seq: number; path: string } | undefined; ; ) {
      const page = await this.#bench.ledger.arrivals({ ...query, after })
      found.push(...page.arrivals)
      if (!page.next) return found
      after = page.next
    }
  }

  async fresh(folders = ['docs'], prompt = 'digest'): Promise<string[]> {
    return (await this.arrivals(folders, { prompt })).map(({ path }) => path)
  }

  /** All pages, as FOLDER/PATH: contents before and after. */
  async changes(folders = ['docs'], prompt = 'digest', limit = 2) {
    const found: Change[] = []
    for (let after: number | undefined; ; ) {
      const asked = { prompt, folders, only_come: true, after, limit }
      const page = await this.#bench.ledger.changes(asked)
      found.push(...page.changes)
      after = page.to
      if (!page.has_next) return { changes: found, to: page.to }
    }
  }

  async unready(
    folders = ['docs'],
    limit = 2,
    prompt = 'digest',
    only_come = true,
  ): Promise<UnreadyFile[]> {
    const found: UnreadyFile[] = []
    for (let after: { folder: string; path: string } | undefined; ; ) {
      const page = await this.#bench.ledger.unready({ prompt, folders, only_come, after, limit })
      found.push(...page.files)
      if (!page.next) return found
      after = page.next
    }
  }
}

function runAsset({
  content,
  asset_id,
  md5,
  size,
  folder,
  path,
  seq,
  arrived_ms,
  times_unread,
}: Arrival): RunAsset {
  const name = `${folder}/${path}`
  return { content, asset_id, md5, size, name, seq, arrived_ms, turn: 0, times_unread }
}
