import type { Sqlite } from '../../base/files/sqlite.ts'
import type { RunAsset, RunCause, RunRefusal, RunState, RunTurn } from '../../domain/run.ts'
import { newRun, type RunProgress } from '../../domain/run-progress.ts'

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
export const open_runs_of_prompt = `SELECT id AS run, due_ms, state FROM runs WHERE prompt = ? AND state IN (${open_run_states}) ORDER BY due_ms`
/** Of a content. */
export const is_asked_about_sql = `SELECT 1 FROM runs JOIN run_assets ON run_assets.run = runs.id
  WHERE runs.state IN (${open_run_states}) AND run_assets.content = ? LIMIT 1`

/** Reads and writes runs with their turns, assets and refusals; knows nothing of prompts, told or deliveries. */
export function createRunRows(database: Sqlite) {
  const get_sql = database.prepare('SELECT * FROM runs WHERE id = ?')
  const insert_sql = database.prepare(
    `INSERT INTO runs (prompt, due_ms, cause, state, began_ms, mark_ms, not_before_ms)
       VALUES (@prompt, @due_ms, @cause, 'due', @at_ms, @mark_ms, @at_ms) ON CONFLICT DO NOTHING`,
  )
  const update_sql = database.prepare(
    `UPDATE runs SET state = @state, turn = @turn, not_before_ms = @not_before_ms, attempts = @attempts, notes = @notes,
       coverage = @coverage, chat_id = @chat_id, error_code = @error_code, error_message = @error_message, why = @why,
       report_path = @report_path, planned_ms = @planned_ms, ended_ms = @ended_ms WHERE id = @id`,
  )
  const turns_sql = database.prepare(
    `SELECT body, intended_ms, chat_id, message_id, asked_ms, answer, answered_ms, asked_again FROM run_turns
       WHERE run = ? ORDER BY turn`,
  )
  const put_turn = database.prepare('INSERT OR REPLACE INTO run_turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const assets_sql = database.prepare(
    `SELECT content, asset_id, lower(hex(md5)) AS md5, size, name, seq, arrived_ms, turn FROM run_assets
       WHERE run = ? ORDER BY place`,
  )
  const put_asset = database.prepare('INSERT INTO run_assets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const refusals_sql = database.prepare(
    'SELECT content, lower(hex(md5)) AS md5, size, name, why FROM run_refusals WHERE run = ? ORDER BY place',
  )
  const put_refusal = database.prepare('INSERT INTO run_refusals VALUES (?, ?, ?, ?, ?, ?, ?)')
  const drop_plan = ['run_turns', 'run_assets', 'run_refusals'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE run = ?`),
  )
  const delete_sql = database.prepare('DELETE FROM runs WHERE id = ?')

  function get(id: number): RunRow | undefined {
    const raw = get_sql.get(id) as RawRun | undefined
    return raw && runRow(raw, turns(id))
  }

  /** Undefined where the prompt has a run of this time. */
  function insert(
    run: { prompt: number; due_ms: number; cause: RunCause; mark_ms: number | undefined },
    at_ms: number,
  ): RunRow | undefined {
    const { changes, lastInsertRowid } = insert_sql.run({ ...run, mark_ms: run.mark_ms ?? null, at_ms })
    return changes === 0 ? undefined : { ...newRun(at_ms), ...run, id: Number(lastInsertRowid), began_ms: at_ms }
  }

  function update(id: number, to: RunProgress): void {
    const { turns, notes, error, ...plain } = to
    const values = Object.entries(plain).map(([name, value]) => [name, value ?? null])
    const fault = { error_code: error?.code ?? null, error_message: error?.message ?? null }
    update_sql.run({ id, ...Object.fromEntries(values), ...fault, notes: JSON.stringify(notes) })
    for (const [index, turn] of turns.entries()) put_turn.run(id, index, ...turnValues(turn))
  }

  /** In place of an earlier plan. */
  function putPlan(id: number, plan: { assets: readonly RunAsset[]; refusals: readonly RunRefusal[] }): void {
    dropPlan(id)
    for (const [place, asset] of plan.assets.entries()) {
      const { content, asset_id, md5, size, name, seq, arrived_ms, turn } = asset
      put_asset.run(id, place, content, asset_id, Buffer.from(md5, 'hex'), size, name, seq, arrived_ms, turn)
    }
    for (const [place, { content, md5, size, name, why }] of plan.refusals.entries()) {
      put_refusal.run(id, place, content, Buffer.from(md5, 'hex'), size, name, why)
    }
  }

  function turns(id: number): RunTurn[] {
    return (turns_sql.all(id) as Nullable<RunTurn>[]).map((raw) => ({
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

  function assets(id: number): RunAsset[] {
    return assets_sql.all(id) as RunAsset[]
  }

  function refusals(id: number): RunRefusal[] {
    return refusals_sql.all(id) as RunRefusal[]
  }

  function deleteRow(id: number): void {
    dropPlan(id)
    delete_sql.run(id)
  }

  function dropPlan(id: number): void {
    for (const statement of drop_plan) statement.run(id)
  }

  return { get, insert, update, putPlan, turns, assets, refusals, delete: deleteRow }
}

export type RunRows = ReturnType<typeof createRunRows>

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
