import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms } from '../../base/time/time.ts'
import type { PromptFact, RunFact, RunPlan } from '../../domain/run.ts'
import { type RunStep, runAfter } from '../../domain/run-progress.ts'
import type { DeliveryRows } from '../rows/delivery-rows.ts'
import type { NameRows } from '../rows/name-rows.ts'
import { createPromptRows } from '../rows/prompt-rows.ts'
import { createRunRows, type RunRow } from '../rows/run-rows.ts'

/** Two years of ended runs: a yearly report is there beside the one before it. */
const run_days = 730
/** Runs deleted by one `tidy`. Each may have some hundred rows of assets. */
const trimmed_at_once = 50

/** Applies facts about prompts and runs: the pure transition, and what follows from it. */
export function createRunRecorder(
  database: Sqlite,
  { deliveries, names }: { deliveries: DeliveryRows; names: NameRows },
) {
  const prompts = createPromptRows(database)
  const runs = createRunRows(database)
  const insert_covered = database.prepare(
    'INSERT OR IGNORE INTO covered (prompt, md5, size, what, run) VALUES (?, ?, ?, ?, ?)',
  )
  const leave = database.prepare(
    `INSERT INTO unread (prompt, md5, size, runs) VALUES (?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET runs = runs + 1`,
  )
  const end_leaving = database.prepare(
    'DELETE FROM unread WHERE prompt = ? AND md5 = ? AND size = ?',
  )
  const old = database
    .prepare(
      `SELECT id FROM runs WHERE ended_ms IS NOT NULL AND ended_ms < ?
           AND id <> (SELECT max(id) FROM runs AS newest WHERE newest.prompt = runs.prompt)
           AND NOT EXISTS (SELECT 1 FROM deliveries WHERE run = runs.id AND state = 'wanted')
         ORDER BY ended_ms LIMIT ${trimmed_at_once}`,
    )
    .pluck()

  function apply(fact: RunFact, at_ms: number): void {
    switch (fact.type) {
      case 'prompts_configured':
        configure(fact.prompts, at_ms)
        break
      case 'covered_restored':
        readCovered(fact)
        break
      case 'run_due':
      case 'run_passed_over':
        due(fact, at_ms)
        break
      case 'schedule_reset':
        prompts.reset(fact.prompt, fact.checked_ms)
        break
      default:
        step(fact, at_ms)
    }
  }

  /**
   * Deletes old runs that have ended, but not the newest run of a prompt, or one with open
   * deliveries. What reports covered stays for ever.
   */
  function trim(at_ms: number): void {
    for (const run of old.all(at_ms - run_days * day_ms) as number[]) {
      deliveries.deleteOfRun(run)
      runs.delete(run)
    }
  }

  function configure(facts: readonly PromptFact[], at_ms: number): void {
    for (const prompt of facts) {
      const known = prompts.named(prompt.name)
      if (known?.project_id === prompt.project_id) prompts.goOn(known.id, prompt, at_ms)
      else if (known) {
        // The assets and chats of its open runs belong to its former project.
        endOpen(
          known.id,
          'prompt.moved',
          'the prompt was given another project before this run had ended',
          at_ms,
        )
        prompts.move(known.id, prompt, at_ms)
      } else prompts.begin(prompt, at_ms)
    }
    const names = new Set(facts.map(({ name }) => name))
    for (const { id, name, configured } of prompts.all()) {
      if (!configured || names.has(name)) continue
      const what =
        'the prompt was taken out of the config before this run had ended; its files stay fresh'
      endOpen(id, 'prompt.unconfigured', what, at_ms)
    }
    prompts.restExcept([...names])
  }

  /**
   * Ends the open runs of a prompt that leaves the config or its project. A run is skipped if
   * surely nothing was asked. Otherwise it fails, and Sluice does not wait for its answer.
   */
  function endOpen(prompt: number, code: string, message: string, at_ms: number): void {
    for (const { run } of prompts.openRuns(prompt)) {
      const { state, turn } = runs.get(run)!
      const is_unasked = state === 'due' || (state === 'planned' && turn === 0)
      if (is_unasked) step({ type: 'run_skipped', run, why: message }, at_ms)
      else step({ type: 'run_failed', run, error: { code, message } }, at_ms)
    }
  }

  function readCovered({
    prompt: name,
    run_due_ms,
    began_ms,
    covered,
    empty,
  }: Extract<RunFact, { type: 'covered_restored' }>): void {
    const prompt = prompts.named(name)
    if (!prompt) return
    recordCovered(prompt.id, undefined, 'asset', covered)
    prompts.restored(prompt.id, Math.min(run_due_ms, began_ms))
    if (empty === undefined) prompts.mark(prompt.id, run_due_ms)
  }

  function due(
    fact: Extract<RunFact, { type: 'run_due' | 'run_passed_over' }>,
    at_ms: number,
  ): void {
    const prompt = prompts.named(fact.prompt)
    if (!prompt?.configured) return
    const cause = fact.type === 'run_due' ? fact.cause : 'schedule'
    const mark_ms = prompt.last_written_due_ms
    const run = runs.insert({ prompt: prompt.id, due_ms: fact.due_ms, cause, mark_ms }, at_ms)
    if (run && fact.type === 'run_passed_over')
      step({ type: 'run_skipped', run: run.id, why: fact.why }, at_ms)
    if (cause !== 'user') prompts.check(prompt.id, fact.due_ms)
  }

  function step(fact: RunStep, at_ms: number): void {
    const before = runs.get(fact.run)
    const after = before && runAfter(before, fact, at_ms)
    if (!before || !after) return
    if (fact.type === 'run_planned') plan(before.id, fact.plan)
    runs.update(before.id, after)
    // The chats of its parts are not what the next run continues.
    const is_last = before.turn === before.turns.length - 1
    if (fact.type === 'turn_asked' && is_last) prompts.keepChat(before.prompt, fact.chat_id)
    if (fact.type === 'run_written') {
      coverAssets(before, new Set(fact.left))
      recordCovered(before.prompt, before.id, 'refusal', before.refusals)
      if (fact.empty === undefined) prompts.mark(before.prompt, before.due_ms)
      const { prompt, changes_to, changed } = before
      if (changes_to !== undefined) prompts.reported(prompt, changes_to, changed)
      deliveries.want({ run: before.id }, fact.targets, at_ms)
    }
  }

  function coverAssets({ id, prompt }: RunRow, left: ReadonlySet<string>): void {
    const assets = runs.assets(id)
    const covered = assets.filter(({ asset_id }) => !left.has(asset_id))
    recordCovered(prompt, id, 'asset', covered)
    for (const { asset_id, md5, size } of assets) {
      const change = left.has(asset_id) ? leave : end_leaving
      change.run(prompt, Buffer.from(md5, 'hex'), size)
    }
  }

  /** The names of its assets may change later, so the run keeps from where they are now. */
  function plan(run: number, plan: RunPlan): void {
    const naming = plan.assets.flatMap(({ asset_id, name }) => names.naming(asset_id, name))
    runs.putPlan(run, { ...plan, naming: [...new Set(naming)] })
  }

  function recordCovered(
    prompt: number,
    run: number | undefined,
    what: 'asset' | 'refusal',
    contents: readonly { md5: string; size: number }[],
  ): void {
    for (const { md5, size } of contents)
      insert_covered.run(prompt, Buffer.from(md5, 'hex'), size, what, run)
  }

  return { runs, prompts, apply, trim }
}

export type RunRecorder = ReturnType<typeof createRunRecorder>
