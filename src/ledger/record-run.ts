import type { Sqlite } from '../base/sqlite.ts'
import { day_ms } from '../base/time.ts'
import type { PromptFact, RunFact } from '../domain/run.ts'
import { type RunStep, runAfter } from '../domain/run-progress.ts'
import { DeliveryRows } from './delivery-rows.ts'
import { PromptRows } from './prompt-rows.ts'
import { RunRows } from './run-rows.ts'

/** Finished runs are for people, who ask about the last ones; two years keep a yearly report beside the one before it. */
const run_days = 730
/** Runs dropped by one `tidy`; each may have some hundred rows of assets. */
const trimmed_at_once = 50

/** Applies facts about prompts, runs and deliveries: the pure transition, then everything in the ledger that follows from it. */
export class RunRecorder {
  readonly prompts: PromptRows
  readonly runs: RunRows
  readonly deliveries: DeliveryRows
  readonly #tell
  readonly #restore
  readonly #old

  constructor(database: Sqlite) {
    this.prompts = new PromptRows(database)
    this.runs = new RunRows(database)
    this.deliveries = new DeliveryRows(database)
    this.#tell = [
      ['asset', 'run_assets'],
      ['refusal', 'run_refusals'],
    ].map(([what, table]) =>
      database.prepare(
        `INSERT OR IGNORE INTO told (prompt, md5, size, what, run)
         SELECT @prompt, md5, size, '${what}', run FROM ${table} WHERE run = @run`,
      ),
    )
    this.#restore = database.prepare(`INSERT OR IGNORE INTO told (prompt, md5, size, what) VALUES (?, ?, ?, 'asset')`)
    this.#old = database
      .prepare(
        `SELECT id FROM runs WHERE ended_ms IS NOT NULL AND ended_ms < ?
           AND id <> (SELECT max(id) FROM runs AS newest WHERE newest.prompt = runs.prompt)
           AND NOT EXISTS (SELECT 1 FROM deliveries WHERE run = runs.id AND state = 'wanted')
         ORDER BY ended_ms LIMIT ${trimmed_at_once}`,
      )
      .pluck()
  }

  apply(fact: RunFact, at_ms: number): void {
    switch (fact.type) {
      case 'prompts_configured':
        this.#configure(fact.prompts, at_ms)
        break
      case 'told_restored':
        this.#restoreTold(fact)
        break
      case 'run_due':
      case 'run_passed_over':
        this.#due(fact, at_ms)
        break
      case 'schedule_reset':
        this.prompts.reset(fact.prompt, fact.checked_ms)
        break
      case 'delivery_wanted_again':
        if (this.runs.get(fact.run)?.state === 'written') this.deliveries.wantAgain(fact.run, fact.targets, at_ms)
        break
      case 'delivered':
      case 'delivery_set_back':
      case 'delivery_failed':
        this.deliveries.apply(fact, at_ms)
        break
      default:
        this.#step(fact, at_ms)
    }
  }

  /** Old runs that are over. What was told stays for ever, and the newest run of each prompt. */
  trim(at_ms: number): void {
    for (const run of this.#old.all(at_ms - run_days * day_ms) as number[]) {
      this.deliveries.deleteOf(run)
      this.runs.delete(run)
    }
  }

  #configure(prompts: readonly PromptFact[], at_ms: number): void {
    for (const prompt of prompts) {
      const known = this.prompts.named(prompt.name)
      if (known?.project_id === prompt.project_id) this.prompts.goOn(known.id, prompt.schedule, at_ms)
      else if (known) {
        // Their assets and chats are of the other project.
        this.#endOpen(known.id, 'prompt.moved', 'the prompt was given another project before this run had ended', at_ms)
        this.prompts.move(known.id, prompt, at_ms)
      } else this.prompts.begin(prompt, at_ms)
    }
    const names = new Set(prompts.map(({ name }) => name))
    for (const id of this.prompts.configuredExcept(names)) {
      const what = 'the prompt was taken out of the config before this run had ended; its files stay fresh'
      this.#endOpen(id, 'prompt.unconfigured', what, at_ms)
    }
    this.prompts.restExcept([...names])
  }

  /** Skipped where nothing can have been asked, failed where something may have been: its answer is not waited for. */
  #endOpen(prompt: number, code: string, message: string, at_ms: number): void {
    for (const { run } of this.prompts.openRuns(prompt)) {
      const { state, turn } = this.runs.get(run)!
      const is_unasked = state === 'due' || (state === 'planned' && turn === 0)
      if (is_unasked) this.#step({ type: 'run_skipped', run, why: message }, at_ms)
      else this.#step({ type: 'run_failed', run, error: { code, message } }, at_ms)
    }
  }

  #restoreTold({ prompt: name, run_due_ms, began_ms, told }: Extract<RunFact, { type: 'told_restored' }>): void {
    const prompt = this.prompts.named(name)
    if (!prompt) return
    for (const { md5, size } of told) this.#restore.run(prompt.id, Buffer.from(md5, 'hex'), size)
    this.prompts.restored(prompt.id, run_due_ms, Math.min(run_due_ms, began_ms ?? run_due_ms))
  }

  #due(fact: Extract<RunFact, { type: 'run_due' | 'run_passed_over' }>, at_ms: number): void {
    const prompt = this.prompts.named(fact.prompt)
    if (!prompt?.configured) return
    const cause = fact.type === 'run_due' ? fact.cause : 'schedule'
    const mark_ms = prompt.last_written_due_ms
    const run = this.runs.insert({ prompt: prompt.id, due_ms: fact.due_ms, cause, mark_ms }, at_ms)
    if (run && fact.type === 'run_passed_over') this.#step({ type: 'run_skipped', run: run.id, why: fact.why }, at_ms)
    if (cause !== 'person') this.prompts.check(prompt.id, fact.due_ms)
  }

  #step(fact: RunStep, at_ms: number): void {
    const before = this.runs.get(fact.run)
    const after = before && runAfter(before, fact, at_ms)
    if (!before || !after) return
    if (fact.type === 'run_planned') this.runs.putPlan(before.id, fact.plan)
    this.runs.update(before.id, after)
    if (fact.type === 'turn_asked') this.prompts.keepChat(before.prompt, fact.chat_id)
    if (fact.type === 'run_written') {
      for (const statement of this.#tell) statement.run({ prompt: before.prompt, run: before.id })
      this.prompts.mark(before.prompt, before.due_ms)
      this.deliveries.want(before.id, fact.targets, at_ms)
    }
  }
}
