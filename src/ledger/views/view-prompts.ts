import { readAll, type Sqlite, type Statement } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../base/run/errors.ts'
import type { RunAsset, RunRefusal, RunState } from '../../domain/run.ts'
import { openLedgerReadOnly } from '../file/ledger-file.ts'
import { createNamingReader } from '../rows/name-rows.ts'
import { createPromptRows, type PromptRows, promptBegan } from '../rows/prompt-rows.ts'
import {
  createRunRows,
  type FaultColumns,
  type RunRow,
  type RunRows,
  withFault,
} from '../rows/run-rows.ts'

export interface RunSummary {
  run: number
  prompt: string
  due_ms: number
  cause: RunRow['cause']
  state: RunState
  began_ms: number
  /** Unix ms when it was written, skipped or failed; undefined while it is open. */
  ended_ms: number | undefined
  /** Earliest next try while it is open, Unix ms. */
  not_before_ms: number
  attempts: number
  assets: number
  /** Files that it asks about: an asset may have several, with equal bytes. */
  files: number
  refusals: number
  why: string | undefined
  /** Why the answer of a written run is no report; undefined for an ordinary one. */
  empty: string | undefined
  /** Error of its failure or last deferral; undefined without one. */
  error: FaultNote | undefined
  report_path: string | undefined
}

export interface DeliveryView {
  run: number
  prompt: string
  due_ms: number
  target: string
  /** `failed`: given up, and a user must act. */
  state: 'wanted' | 'done' | 'failed'
  attempts: number
  not_before_ms: number
  wanted_ms: number
  /** Unix ms when it was delivered or given up; undefined until then. */
  ended_ms: number | undefined
  error: FaultNote | undefined
  /** End of the output of the last try's command; undefined without one. */
  output: string | undefined
}

export interface RunView
  extends RunSummary,
    Pick<RunRow, 'coverage' | 'planned_ms' | 'turn' | 'turns' | 'chat_id'> {
  /** The prompt's last-run mark when the run began, Unix ms; undefined without one. */
  last_written_due_ms: number | undefined
  /** As in `RunWork`. */
  prompt_began_ms: number
  notes: readonly string[]
  planned_assets: readonly RunAsset[]
  planned_refusals: readonly RunRefusal[]
  /** Folders whose names the service had for its assets, beside those of the files (or null). */
  naming: readonly (string | null)[]
  deliveries: DeliveryView[]
}

/** Prompts and their runs, to show to users. Reads only, with or without a running daemon. */
export type PromptsView = ReturnType<typeof openPromptsView>

const max_deliveries = 100

const summary = `SELECT runs.id AS run, prompts.name AS prompt, due_ms, cause, state, runs.began_ms, ended_ms, not_before_ms, attempts,
    (SELECT count(*) FROM run_assets WHERE run = runs.id) AS assets,
    coalesce(json_extract(coverage, '$.taken'), 0) AS files,
    json_array_length(refusals) AS refusals, why, empty, error_code, error_message, report_path
  FROM runs JOIN prompts ON prompts.id = runs.prompt`

const deliveries_sql = `SELECT deliveries.run, prompts.name AS prompt, runs.due_ms, target, deliveries.state, deliveries.attempts,
    deliveries.not_before_ms, wanted_ms, done_ms AS ended_ms, deliveries.error_code, deliveries.error_message,
    deliveries.output
  FROM deliveries JOIN runs ON runs.id = deliveries.run JOIN prompts ON prompts.id = runs.prompt`

/** Errors: those of openLedgerReadOnly. */
export function openPromptsView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  const rows = { prompts: createPromptRows(database), runs: createRunRows(database) }
  const newest = database.prepare(`${summary} WHERE prompts.name = ? ORDER BY due_ms DESC LIMIT ?`)
  const runs = (prompt: string, limit: number) => summaries(newest, prompt, limit)
  const undelivered = database.prepare(
    `${deliveries_sql} WHERE deliveries.state = 'wanted' OR deliveries.state = 'failed' ORDER BY wanted_ms, run LIMIT ?`,
  )
  const older_in_chat = database
    .prepare(
      `SELECT id FROM runs WHERE id < ? AND ? IN (chat_id, json_extract(turns, '$[#-1].chat_id')) ORDER BY id DESC LIMIT 1`,
    )
    .pluck()
  return {
    /** Prompts, also unconfigured ones, in the order in which they were first configured. */
    prompts: () =>
      rows.prompts.states().map((state) => ({ ...state, last_run: runs(state.name, 1)[0] })),
    /** Newest due time first. */
    runs,
    run: (id: number) => runView(database, rows, id),
    /** The run before this one in a chat; undefined for the first that is kept. */
    beforeInChat: (run: number, chat_id: string) =>
      older_in_chat.get(run, chat_id) as number | undefined,
    /** Reports whose delivery waits or was given up, the oldest first, at most `max_deliveries`. */
    undelivered: () => deliveries(undelivered, max_deliveries),
    close: () => void database.close(),
  }
}

function runView(
  database: Sqlite,
  { runs, prompts }: { runs: RunRows; prompts: PromptRows },
  id: number,
): RunView | undefined {
  const [run] = summaries(database.prepare(`${summary} WHERE runs.id = ?`), id)
  const row = runs.get(id)
  if (!run || !row) return undefined
  const of_run = database.prepare(
    `${deliveries_sql} WHERE deliveries.run = ? ORDER BY deliveries.rowid`,
  )
  const planned_assets = runs.assets(id)
  return {
    ...row,
    ...run,
    last_written_due_ms: row.mark_ms,
    prompt_began_ms: promptBegan(prompts.withId(row.prompt)!),
    planned_assets,
    planned_refusals: row.refusals,
    naming: row.naming ?? namingBefore(database, planned_assets),
    deliveries: deliveries(of_run, id),
  }
}

/** For a run planned by an earlier version: its assets may have had any of their names then. */
function namingBefore(database: Sqlite, assets: readonly RunAsset[]): (string | null)[] {
  const naming = createNamingReader(database)
  return assets.flatMap(({ asset_id, name }) => naming(asset_id, name, 1))
}

function summaries(statement: Statement, ...values: unknown[]): RunSummary[] {
  return readAll<Omit<RunSummary, 'error'> & FaultColumns>(statement, ...values).map(withFault)
}

function deliveries(statement: Statement, ...values: unknown[]): DeliveryView[] {
  return readAll<Omit<DeliveryView, 'error'> & FaultColumns>(statement, ...values).map(withFault)
}
