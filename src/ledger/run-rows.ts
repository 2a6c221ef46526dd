import type { Sqlite } from '../base/sqlite.ts'
import type { RunAsset, RunCause, RunRefusal, RunState, RunTurn } from '../domain/run.ts'
import { newRun, type RunProgress } from '../domain/run-progress.ts'

export interface RunRow extends RunProgress {
  id: number
  /** The prompt's row. */
  prompt: number
  due_ms: number
  cause: RunCause
  began_ms: number
  mark_ms: number | undefined
}

interface RawRun {
  id: number
  prompt: number
  due_ms: number
  cause: RunCause
  state: RunState
  began_ms: number
  mark_ms: number | null
  not_before_ms: number
  attempts: number
  turn: number
  notes: string
  coverage: string | null
  chat_id: string | null
  error_code: string | null
  error_message: string | null
  why: string | null
  report_path: string | null
  planned_ms: number | null
  ended_ms: number | null
}

type Nullable<Row> = { [Key in keyof Row]: undefined extends Row[Key] ? Exclude<Row[Key], undefined> | null : Row[Key] }

/** In queries, so that they find the partial index of the open runs. */
export const open_run_states = `'due', 'planned', 'asking', 'asked', 'answered'`

/** Reads and writes runs with their turns, assets and refusals; knows nothing of prompts, told or deliveries. */
export class RunRows {
  readonly #get
  readonly #insert
  readonly #update
  readonly #turns
  readonly #put_turn
  readonly #assets
  readonly #put_asset
  readonly #refusals
  readonly #put_refusal
  readonly #drop_plan
  readonly #delete

  constructor(database: Sqlite) {
    this.#get = database.prepare('SELECT * FROM runs WHERE id = ?')
    this.#insert = database.prepare(
      `INSERT INTO runs (prompt, due_ms, cause, state, began_ms, mark_ms, not_before_ms)
       VALUES (@prompt, @due_ms, @cause, 'due', @at_ms, @mark_ms, @at_ms) ON CONFLICT DO NOTHING`,
    )
    this.#update = database.prepare(
      `UPDATE runs SET state = @state, turn = @turn, not_before_ms = @not_before_ms, attempts = @attempts, notes = @notes,
         coverage = @coverage, chat_id = @chat_id, error_code = @error_code, error_message = @error_message, why = @why,
         report_path = @report_path, planned_ms = @planned_ms, ended_ms = @ended_ms WHERE id = @id`,
    )
    this.#turns = database.prepare(
      `SELECT body, intended_ms, chat_id, message_id, asked_ms, answer, answered_ms, asked_again FROM run_turns
       WHERE run = ? ORDER BY turn`,
    )
    this.#put_turn = database.prepare('INSERT OR REPLACE INTO run_turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#assets = database.prepare(
      `SELECT content, asset_id, lower(hex(md5)) AS md5, size, name, seq, arrived_ms, turn FROM run_assets
       WHERE run = ? ORDER BY place`,
    )
    this.#put_asset = database.prepare('INSERT INTO run_assets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#refusals = database.prepare(
      'SELECT content, lower(hex(md5)) AS md5, size, name, why FROM run_refusals WHERE run = ? ORDER BY place',
    )
    this.#put_refusal = database.prepare('INSERT INTO run_refusals VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#drop_plan = ['run_turns', 'run_assets', 'run_refusals'].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE run = ?`),
    )
    this.#delete = database.prepare('DELETE FROM runs WHERE id = ?')
  }

  get(id: number): RunRow | undefined {
    const raw = this.#get.get(id) as RawRun | undefined
    return raw && runRow(raw, this.turns(id))
  }

  /** Undefined where the prompt has a run of this time. */
  insert(
    run: { prompt: number; due_ms: number; cause: RunCause; mark_ms: number | undefined },
    at_ms: number,
  ): RunRow | undefined {
    const { changes, lastInsertRowid } = this.#insert.run({ ...run, mark_ms: run.mark_ms ?? null, at_ms })
    return changes === 0 ? undefined : { ...newRun(at_ms), ...run, id: Number(lastInsertRowid), began_ms: at_ms }
  }

  update(id: number, to: RunProgress): void {
    const { turns, notes, error, ...plain } = to
    const values = Object.entries(plain).map(([name, value]) => [name, value ?? null])
    const fault = { error_code: error?.code ?? null, error_message: error?.message ?? null }
    this.#update.run({ id, ...Object.fromEntries(values), ...fault, notes: JSON.stringify(notes) })
    for (const [index, turn] of turns.entries()) this.#put_turn.run(id, index, ...turnValues(turn))
  }

  /** In place of an earlier plan. */
  putPlan(id: number, plan: { assets: readonly RunAsset[]; refusals: readonly RunRefusal[] }): void {
    this.#dropPlan(id)
    for (const [place, asset] of plan.assets.entries()) {
      const { content, asset_id, md5, size, name, seq, arrived_ms, turn } = asset
      this.#put_asset.run(id, place, content, asset_id, Buffer.from(md5, 'hex'), size, name, seq, arrived_ms, turn)
    }
    for (const [place, { content, md5, size, name, why }] of plan.refusals.entries()) {
      this.#put_refusal.run(id, place, content, Buffer.from(md5, 'hex'), size, name, why)
    }
  }

  turns(id: number): RunTurn[] {
    return (this.#turns.all(id) as Nullable<RunTurn>[]).map((raw) => ({
      body: raw.body,
      intended_ms: raw.intended_ms ?? undefined,
      chat_id: raw.chat_id ?? undefined,
      message_id: raw.message_id ?? undefined,
      asked_ms: raw.asked_ms ?? undefined,
      answer: raw.answer ?? undefined,
      answered_ms: raw.answered_ms ?? undefined,
      asked_again: raw.asked_again,
    }))
  }

  assets(id: number): RunAsset[] {
    return this.#assets.all(id) as RunAsset[]
  }

  refusals(id: number): RunRefusal[] {
    return this.#refusals.all(id) as RunRefusal[]
  }

  delete(id: number): void {
    this.#dropPlan(id)
    this.#delete.run(id)
  }

  #dropPlan(id: number): void {
    for (const statement of this.#drop_plan) statement.run(id)
  }
}

function turnValues(turn: RunTurn): (string | number | undefined)[] {
  const { body, intended_ms, chat_id, message_id, asked_ms, answer, answered_ms, asked_again } = turn
  return [body, intended_ms, chat_id, message_id, asked_ms, answer, answered_ms, asked_again]
}

function runRow(raw: RawRun, turns: RunTurn[]): RunRow {
  const { id, prompt, due_ms, cause, state, began_ms, not_before_ms, attempts, turn, error_code, error_message } = raw
  return {
    id,
    prompt,
    due_ms,
    cause,
    state,
    began_ms,
    mark_ms: raw.mark_ms ?? undefined,
    not_before_ms,
    attempts,
    turn,
    turns,
    notes: JSON.parse(raw.notes) as string[],
    coverage: raw.coverage ?? undefined,
    chat_id: raw.chat_id ?? undefined,
    error: error_code === null ? undefined : { code: error_code, message: error_message ?? '' },
    why: raw.why ?? undefined,
    report_path: raw.report_path ?? undefined,
    planned_ms: raw.planned_ms ?? undefined,
    ended_ms: raw.ended_ms ?? undefined,
  }
}
