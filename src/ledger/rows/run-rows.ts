import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../base/run/errors.ts'
import type { Change, RunAsset, RunCause, RunPlan, RunRefusal, RunTurn } from '../../domain/run.ts'
import { newRun, type RunProgress } from '../../domain/run-progress.ts'

export interface RunRow extends RunProgress {
  id: number
  /** Id of the prompt's row. */
  prompt: number
  due_ms: number
  cause: RunCause
  began_ms: number
  mark_ms: number | undefined
  refusals: RunRefusal[]
  /** Folders that name its assets on the service (schema-names.ts); undefined: unknown. */
  naming: (string | null)[] | undefined
  /** As in its plan. */
  changes_to: number | undefined
  changed: Change[]
}

const unplanned = { refusals: [], naming: undefined, changes_to: undefined, changed: [] }

/** The columns of a fault; both are undefined without one. */
export interface FaultColumns {
  error_code: string | undefined
  error_message: string | undefined
}

type RawRun = Omit<RunRow, 'error' | 'notes' | 'turns' | 'refusals' | 'naming' | 'changed'> &
  FaultColumns &
  Record<'notes' | 'turns' | 'refusals' | 'changed', string> & { naming: string | undefined }

/** Listed in queries so that they use the partial index of the open runs. */
export const open_run_states = `'due', 'planned', 'asking', 'asked', 'answered'`
export const open_runs_of_prompt = `SELECT id AS run, due_ms, state FROM runs WHERE prompt = ? AND state IN (${open_run_states}) ORDER BY due_ms`
/** SQL that finds an open run about a content. */
export const is_asked_about_sql = `SELECT 1 FROM runs JOIN run_assets ON run_assets.run = runs.id
  WHERE runs.state IN (${open_run_states}) AND run_assets.content = ? LIMIT 1`

/** Reads and writes runs with their turns, assets and refusals. */
export function createRunRows(database: Sqlite) {
  const get_sql = database.prepare('SELECT * FROM runs WHERE id = ?')
  const insert_sql = database.prepare(
    `INSERT INTO runs (prompt, due_ms, cause, state, began_ms, mark_ms, not_before_ms)
       VALUES (@prompt, @due_ms, @cause, 'due', @at_ms, @mark_ms, @at_ms) ON CONFLICT DO NOTHING`,
  )
  const update_sql = database.prepare(
    `UPDATE runs SET state = @state, turn = @turn, not_before_ms = @not_before_ms, attempts = @attempts, notes = @notes,
       coverage = @coverage, chat_id = @chat_id, error_code = @error_code, error_message = @error_message, why = @why,
       report_path = @report_path, empty = @empty, planned_ms = @planned_ms, ended_ms = @ended_ms, turns = @turns WHERE id = @id`,
  )
  const assets_sql = database.prepare(
    `SELECT content, asset_id, lower(hex(md5)) AS md5, size, name, seq, arrived_ms, turn, times_unread FROM run_assets
       WHERE run = ? ORDER BY place`,
  )
  const last_answer = database
    .prepare(
      `SELECT json_extract(turns, '$[#-1].answer') FROM runs WHERE prompt = @prompt AND state = 'written' AND empty IS NULL
         AND EXISTS (SELECT 1 FROM run_assets WHERE run = @id)
         AND NOT EXISTS (SELECT 1 FROM run_assets CROSS JOIN covered USING (md5, size)
           WHERE run_assets.run = @id AND prompt = @prompt AND what = 'asset')
         ORDER BY due_ms DESC LIMIT 1`,
    )
    .pluck()
  const put_asset = database.prepare(
    'INSERT INTO run_assets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const put_parts = database.prepare(
    'UPDATE runs SET refusals = ?, naming = ?, changes_to = ?, changed = ? WHERE id = ?',
  )
  const drop_assets = database.prepare('DELETE FROM run_assets WHERE run = ?')
  const delete_sql = database.prepare('DELETE FROM runs WHERE id = ?')

  function get(id: number): RunRow | undefined {
    const raw = readOne<RawRun>(get_sql, id)
    return raw && runRow(raw)
  }

  /** Inserts a run; undefined if the prompt already has a run of this time. */
  function insert(
    run: { prompt: number; due_ms: number; cause: RunCause; mark_ms: number | undefined },
    at_ms: number,
  ): RunRow | undefined {
    const { changes, lastInsertRowid } = insert_sql.run({ ...run, at_ms })
    if (changes === 0) return undefined
    return { ...newRun(at_ms), ...run, id: Number(lastInsertRowid), began_ms: at_ms, ...unplanned }
  }

  function update(id: number, { turns, notes, error, ...plain }: RunProgress): void {
    const json = { turns: JSON.stringify(turns), notes: JSON.stringify(notes) }
    update_sql.run({
      id,
      ...plain,
      ...json,
      error_code: error?.code,
      error_message: error?.message,
    })
  }

  /** Replaces an earlier plan. */
  function putPlan(
    id: number,
    plan: Pick<RunPlan, 'assets' | 'refusals' | 'changes_to' | 'changed'> & Pick<RunRow, 'naming'>,
  ): void {
    drop_assets.run(id)
    for (const [place, asset] of plan.assets.entries()) {
      const { content, asset_id, md5, size, name, seq, arrived_ms, turn, times_unread } = asset
      put_asset.run(
        id,
        place,
        content,
        asset_id,
        Buffer.from(md5, 'hex'),
        size,
        name,
        seq,
        arrived_ms,
        turn,
        times_unread,
      )
    }
    const { refusals, naming, changes_to, changed = [] } = plan
    const json = [refusals, naming].map((part) => JSON.stringify(part))
    put_parts.run(...json, changes_to, JSON.stringify(changed), id)
  }

  /** The answer of the prompt's last report, unless a report covers files of this run. */
  const lastAnswer = ({ id, prompt }: Pick<RunRow, 'id' | 'prompt'>) =>
    readOne<string>(last_answer, { id, prompt })
  const assets = (id: number) => readAll<RunAsset>(assets_sql, id)

  function deleteRow(id: number): void {
    drop_assets.run(id)
    delete_sql.run(id)
  }

  return { get, insert, update, putPlan, assets, lastAnswer, delete: deleteRow }
}

export type RunRows = ReturnType<typeof createRunRows>

function runRow(raw: RawRun): RunRow {
  return {
    ...withFault(raw),
    notes: JSON.parse(raw.notes) as string[],
    turns: JSON.parse(raw.turns) as RunTurn[],
    refusals: JSON.parse(raw.refusals) as RunRefusal[],
    changed: JSON.parse(raw.changed) as Change[],
    naming: raw.naming === undefined ? undefined : (JSON.parse(raw.naming) as RunRow['naming']),
  }
}

/** Returns a row with its fault as one value. */
export function withFault<Row extends FaultColumns>({
  error_code,
  error_message,
  ...row
}: Row): Omit<Row, keyof FaultColumns> & { error: FaultNote | undefined } {
  const error =
    error_code === undefined ? undefined : { code: error_code, message: error_message ?? '' }
  return { ...row, error }
}
