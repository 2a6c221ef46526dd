import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Sqlite } from '../../base/files/sqlite.ts'
import type { SluiceError } from '../../base/run/errors.ts'
import { control_characters, hasCharacters } from '../../base/text/format.ts'
import { type Clock, isoTime } from '../../base/time/time.ts'
import { max_email_length, max_name_length } from '../../contract/limits.ts'
import { refused } from '../faults/faults.ts'
import { makeId, statementsOf } from './database.ts'

export function checkName(what: string, name: string): void {
  if (
    name.trim() !== '' &&
    hasCharacters(name, 1, max_name_length) &&
    !control_characters.test(name)
  )
    return
  throw refused(
    `"${name}" cannot be the name of ${what}`,
    `use 1 to ${max_name_length} visible characters`,
  )
}

export function checkEmail(email: string): void {
  if (z.email().max(max_email_length).safeParse(email).success) return
  throw refused(`"${email}" is not an e-mail address`, 'give an address such as ada@example.org')
}

/** Error `config.service` for a thing that is not stored. `kind`: the word of its commands. */
export function unknownThing(kind: string, name: string): SluiceError {
  return refused(
    `the ${kind} ${name} does not exist`,
    `list them with \`sluice serve ${kind} list\``,
  )
}

type FoundProject = Pick<ProjectRow, 'project_id' | 'name'> & { seq: number }

/**
 * The project with this id, or the only one with this name. Error `config.service` if there is
 * none, or if several have the name.
 */
export function projectWith(database: Sqlite, id_or_name: string): FoundProject {
  const of_name =
    'SELECT seq, project_id, name FROM projects WHERE project_id = @id_or_name OR name = @id_or_name'
  const rows = statementsOf(database).all<FoundProject>(of_name, { id_or_name })
  const project = rows.find(({ project_id }) => project_id === id_or_name) ?? rows[0]
  if (project === undefined) throw unknownThing('project', id_or_name)
  if (rows.length === 1 || project.project_id === id_or_name) return project
  const ids = rows.map(({ project_id }) => project_id).join(', ')
  throw refused(`${rows.length} projects are called ${id_or_name}`, `name one by its id: ${ids}`)
}

/** Rows for the output of commands: `created_at` as text, `json` columns parsed, no NULL values. */
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

/** An absent name means `default`, which always exists. */
interface WorkspaceName {
  organisation?: string | undefined
  workspace?: string | undefined
}

interface WorkspaceRow {
  organisation: string
  workspace: string
  projects: number
  created_at: string
}

interface ProjectRow {
  project_id: string
  name: string
  organisation: string
  workspace: string
  created_at: string
}

const always_there = 'default'

/**
 * An organisation has workspaces, a workspace has projects. Organisations and workspaces are made
 * by a command on this machine only, and `/v1` never names them.
 */
export function openWorkspaces(database: Sqlite, clock: Clock) {
  const { run } = statementsOf(database)
  return {
    /** Also makes its organisation if there is none. Error `config.service` for a name in use. */
    create: database.transaction((name: string, organisation = always_there) => {
      checkName('a workspace', name)
      checkName('an organisation', organisation)
      if (findWorkspace(database, { organisation, workspace: name }) !== undefined) {
        throw refused(
          `the organisation ${organisation} already has a workspace ${name}`,
          'choose another name',
        )
      }
      const now_ms = clock.now_ms()
      run(
        'INSERT INTO organisations (name, created_at_ms) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
        organisation,
        now_ms,
      )
      run(
        `INSERT INTO workspaces (organisation, name, created_at_ms)
         SELECT seq, @name, @now_ms FROM organisations WHERE name = @organisation`,
        { name, now_ms, organisation },
      )
    }).immediate,
    list: () =>
      listRows<WorkspaceRow>(
        database,
        `SELECT organisations.name AS organisation, workspaces.name AS workspace,
           (SELECT count(*) FROM projects WHERE workspace = workspaces.seq) AS projects, workspaces.created_at_ms
         FROM workspaces JOIN organisations ON organisations.seq = organisation ORDER BY organisation, workspaces.seq`,
      ),
  }
}

/** Projects that the operator makes and removes by command. */
export function openProjects(database: Sqlite, clock: Clock, objects_folder: string) {
  const { one, values, run } = statementsOf(database)

  const removeRows = database.transaction((id_or_name: string) => {
    const { seq, project_id } = projectWith(database, id_or_name)
    const of_project = 'FROM assets LEFT JOIN objects ON asset = assets.seq WHERE project = ?'
    const files = values<string>(`SELECT file ${of_project} AND file IS NOT NULL`, seq)
    run(`INSERT OR IGNORE INTO assets_to_forget (asset) SELECT assets.seq ${of_project}`, seq)
    run('DELETE FROM removed WHERE project = ?', seq)
    // A page of projects can start after this one.
    run('INSERT INTO removed (id, project, position) VALUES (?, 0, ?)', project_id, seq)
    run('DELETE FROM projects WHERE seq = ?', seq)
    return files
  }).immediate

  return {
    /** Counts what goes with a project. Error `config.service`: see `projectWith`. */
    contents(
      id_or_name: string,
    ): FoundProject & { assets: number; chats: number; members: number } {
      const count = (table: string) =>
        `(SELECT count(*) FROM ${table} WHERE project = @seq) AS ${table}`
      const project = projectWith(database, id_or_name)
      const counts = `SELECT ${count('assets')}, ${count('chats')}, ${count('members')}`
      return {
        ...project,
        ...one<{ assets: number; chats: number; members: number }>(counts, { seq: project.seq })!,
      }
    },
    /** Removes a project with all that is in it. Error `config.service`: see `projectWith`. */
    remove(id_or_name: string): void {
      for (const file of removeRows(id_or_name)) rmSync(join(objects_folder, file), { force: true })
    },
    /** Error `config.service` for an unknown workspace. */
    create(name: string, where: WorkspaceName = {}): { project_id: string } {
      checkName('a project', name)
      const workspace = findWorkspace(database, where)
      if (workspace === undefined) {
        const { organisation, workspace: wanted = always_there } = where
        const place = organisation === undefined ? '' : ` in the organisation ${organisation}`
        throw refused(
          `the workspace ${wanted}${place} does not exist`,
          'list them with `sluice serve workspace list`',
        )
      }
      const now_ms = clock.now_ms()
      const project_id = makeId('project', now_ms)
      run(
        'INSERT INTO projects (project_id, name, created_at_ms, workspace) VALUES (@project_id, @name, @now_ms, @workspace)',
        { project_id, name, now_ms, workspace },
      )
      return { project_id }
    },
    list: () =>
      listRows<ProjectRow>(
        database,
        `SELECT project_id, projects.name, organisations.name AS organisation, workspaces.name AS workspace,
           projects.created_at_ms
         FROM projects JOIN workspaces ON workspaces.seq = workspace JOIN organisations ON organisations.seq = organisation
         ORDER BY projects.seq`,
      ),
  }
}

/** The number of the workspace; undefined if there is none. */
function findWorkspace(
  database: Sqlite,
  { organisation = always_there, workspace = always_there }: WorkspaceName,
): number | undefined {
  return statementsOf(database).value(
    `SELECT workspaces.seq FROM workspaces JOIN organisations ON organisations.seq = organisation
     WHERE organisations.name = ? AND workspaces.name = ?`,
    organisation,
    workspace,
  )
}
