import { readAll, type Sqlite, type Statement } from '../../base/files/sqlite.ts'
import type { Change, PromptFact } from '../../domain/run.ts'
import type { PromptState } from '../prompt-work.ts'
import { open_runs_of_prompt } from './run-rows.ts'

export interface PromptRow extends Omit<PromptState, 'open_runs' | 'is_new' | 'last_skills'> {
  id: number
  schedule: string
  /** As the manifests in a rebuilt ledger say, see schema-prompts.ts; undefined without them. */
  restored_ms: number | undefined
  /** Changes up to this one are reported. */
  changes_to: number
  /** Reported changes whose content is not covered yet. */
  changed: Change[]
}

const columns = `prompts.id, name, projects.project_id, schedule, configured, began_ms, began_seq, restored_ms, checked_ms,
  last_written_due_ms, chat_id, changes_to, changed`
const newest_change = 'coalesce((SELECT max(id) FROM changes), 0)'
const with_project = `SELECT ${columns} FROM prompts JOIN projects ON projects.id = prompts.project`

/** Reads and writes rows of `prompts`. They are few and change only with runs. */
export function createPromptRows(database: Sqlite) {
  const named_sql = database.prepare(`${with_project} WHERE name = ?`)
  const with_id = database.prepare(`${with_project} WHERE prompts.id = ?`)
  const all_sql = database.prepare(`${with_project} ORDER BY prompts.id`)
  const open_runs = database.prepare(open_runs_of_prompt)
  const has_run = database.prepare('SELECT 1 FROM runs WHERE prompt = ? LIMIT 1')
  const skills_sql = database
    .prepare(
      `SELECT coalesce(iif(json_valid(body), json_extract(body, '$.skills'), NULL), '[]') FROM
         (SELECT json_extract(turns, '$[0].body') AS body FROM runs
           WHERE prompt = ? AND state = 'written' ORDER BY id DESC LIMIT 1)`,
    )
    .pluck()
  const begin_sql = database.prepare(
    `INSERT INTO prompts (name, project, schedule, configured, began_ms, began_seq, checked_ms, folders, changes_to)
       VALUES (@name, (SELECT id FROM projects WHERE project_id = @project_id), @schedule, 1, @at_ms,
         iif(@first_run = 'all', 0, coalesce((SELECT max(seq) FROM arrivals), 0)), @at_ms, @folders, ${newest_change})
       ON CONFLICT (name) DO UPDATE SET project = excluded.project, schedule = excluded.schedule, configured = 1,
         began_ms = excluded.began_ms, began_seq = excluded.began_seq, checked_ms = excluded.checked_ms,
         folders = excluded.folders, changes_to = excluded.changes_to, changed = '[]',
         last_written_due_ms = NULL, chat_id = NULL, restored_ms = NULL`,
  )
  const stood = 'began_ms, began_seq, last_written_due_ms, chat_id, restored_ms'
  const leave = database.prepare(
    `INSERT OR REPLACE INTO prompt_stays (prompt, project, ${stood}) SELECT id, project, ${stood} FROM prompts WHERE id = ?`,
  )
  const come_back = database.prepare(
    `UPDATE prompts SET (${stood}) =
         (SELECT ${stood} FROM prompt_stays AS stay WHERE stay.prompt = prompts.id AND stay.project = prompts.project)
       WHERE name = ? AND EXISTS
         (SELECT 1 FROM prompt_stays AS stay WHERE stay.prompt = prompts.id AND stay.project = prompts.project)`,
  )
  const go_on = database.prepare(
    `UPDATE prompts SET configured = 1, checked_ms = iif(schedule = @schedule, checked_ms, @at_ms), schedule = @schedule,
       folders = @folders, changes_to = iif(configured, changes_to, ${newest_change}), changed = iif(configured, changed, '[]')
       WHERE id = @id`,
  )
  const add_project = database.prepare(
    'INSERT INTO projects (project_id) VALUES (?) ON CONFLICT DO NOTHING',
  )
  const rest = database.prepare(
    'UPDATE prompts SET configured = 0 WHERE name NOT IN (SELECT value FROM json_each(?))',
  )
  const check_sql = database.prepare(
    'UPDATE prompts SET checked_ms = max(checked_ms, ?) WHERE id = ?',
  )
  const reset_sql = database.prepare('UPDATE prompts SET checked_ms = ? WHERE name = ?')
  const mark_sql = database.prepare(
    'UPDATE prompts SET last_written_due_ms = max(coalesce(last_written_due_ms, @due_ms), @due_ms) WHERE id = @id',
  )
  const restored_sql = database.prepare(
    'UPDATE prompts SET restored_ms = min(coalesce(restored_ms, @since_ms), @since_ms) WHERE id = @id',
  )
  const reported_sql = database.prepare(
    'UPDATE prompts SET changes_to = ?, changed = ? WHERE id = ?',
  )
  const keep_chat = database.prepare('UPDATE prompts SET chat_id = ? WHERE id = ?')

  const read = (statement: Statement, ...values: unknown[]) =>
    readAll<RawPrompt>(statement, ...values).map(promptRow)
  const named = (name: string) => read(named_sql, name)[0]
  const withId = (id: number) => read(with_id, id)[0]
  const all = () => read(all_sql)

  function states(): PromptState[] {
    return all().map(
      ({ id, schedule: _, restored_ms: __, changes_to: ___, changed: ____, ...row }) => {
        const last_skills = skills_sql.get(id) as string | undefined
        const is_new = has_run.get(id) === undefined
        return { ...row, last_skills, open_runs: openRuns(id), is_new }
      },
    )
  }

  const openRuns = (id: number): PromptState['open_runs'] => readAll(open_runs, id)

  /** Records a prompt that begins now, after all arrivals, or before them (`first_run: all`). */
  function begin({ folders, ...prompt }: PromptFact, at_ms: number): void {
    add_project.run(prompt.project_id)
    begin_sql.run({ ...prompt, folders: JSON.stringify(folders), at_ms })
  }

  /** Begins or continues in another project. Due times that passed meanwhile are not made up. */
  function move(id: number, prompt: PromptFact, at_ms: number): void {
    leave.run(id)
    begin(prompt, at_ms)
    come_back.run(prompt.name)
  }

  return {
    named,
    withId,
    all,
    states,
    openRuns,
    begin,
    move,
    /** Records since when the prompt has existed, as a manifest says. */
    restored: (id: number, since_ms: number) => void restored_sql.run({ id, since_ms }),
    goOn: (id: number, { schedule, folders }: PromptFact, at_ms: number) =>
      void go_on.run({ id, schedule, folders: JSON.stringify(folders), at_ms }),
    restExcept: (names: readonly string[]) => void rest.run(JSON.stringify(names)),
    /** Marks due times up to this one as done; never moves back. */
    check: (id: number, due_ms: number) => void check_sql.run(due_ms, id),
    reset: (name: string, checked_ms: number) => void reset_sql.run(checked_ms, name),
    /** Moves the last-run mark; never back. */
    mark: (id: number, due_ms: number) => void mark_sql.run({ due_ms, id }),
    /** Marks the changes up to this one as reported, but for those that stay to be named. */
    reported: (id: number, changes_to: number, changed: readonly Change[]) =>
      void reported_sql.run(changes_to, JSON.stringify(changed), id),
    keepChat: (id: number, chat_id: string) => void keep_chat.run(chat_id, id),
  }
}

export type PromptRows = ReturnType<typeof createPromptRows>

/** Unix ms when the prompt began, in this ledger or an earlier one. */
export function promptBegan({ began_ms, restored_ms = began_ms }: PromptRow): number {
  return Math.min(began_ms, restored_ms)
}

type RawPrompt = Omit<PromptRow, 'configured' | 'changed'> & { configured: number; changed: string }

function promptRow(raw: RawPrompt): PromptRow {
  return {
    ...raw,
    configured: raw.configured === 1,
    changed: JSON.parse(raw.changed) as Change[],
  }
}
