import { z } from 'zod'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { hasCharacters } from '../../base/text/format.ts'
import { isoTime } from '../../base/time/time.ts'
import { email_longest, name_longest } from '../../contract/limits.ts'
import { refused } from '../faults/faults.ts'
import { statementsOf } from './database.ts'

export function checkName(what: string, name: string): void {
  if (name.trim() !== '' && hasCharacters(name, 1, name_longest) && !/\p{Cc}/u.test(name)) return
  throw refused(`"${name}" cannot be the name of ${what}`, `use 1 to ${name_longest} visible characters`)
}

export function checkEmail(email: string): void {
  if (z.email().max(email_longest).safeParse(email).success) return
  throw refused(`"${email}" is not an e-mail address`, 'write one like ada@example.org')
}

/** The number of a project that is named by its id. Error `config.service`. */
export function projectWith(database: Sqlite, project_id: string): number {
  const project = statementsOf(database).value<number>('SELECT seq FROM projects WHERE project_id = ?', project_id)
  if (project !== undefined) return project
  throw refused(`there is no project ${project_id}`, 'list them with `sluice serve project list`')
}

/** Rows as commands show them: the time as a text, `json` parsed, what is NULL left out. */
export function listRows<Row extends { created_at: string }>(
  database: Sqlite,
  sql: string,
  json: readonly (keyof Row)[] = [],
): Row[] {
  return statementsOf(database)
    .all<Record<string, unknown>>(sql)
    .map((row) => {
      const entries = Object.entries(row).filter(([, value]) => value !== null)
      const shown = entries.map(([name, value]) => {
        if (name === 'created_at_ms') return ['created_at', isoTime(value as number)]
        return [name, json.includes(name as keyof Row) ? JSON.parse(value as string) : value]
      })
      return Object.fromEntries(shown) as Row
    })
}
