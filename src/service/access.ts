import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { SluiceError } from '../base/errors.ts'
import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { token_pattern } from '../contract/identifiers.ts'
import { name_longest } from '../contract/limits.ts'
import { makeId } from './ids.ts'

export interface ProjectRow {
  project_id: string
  name: string
  created_at: string
}

export interface TokenRow {
  name: string
  /** Absent: every project, those that come later included. */
  project_ids?: string[]
  created_at: string
}

/** Projects are made, and tokens are made and revoked, on this machine only: never through `/v1`. */
export interface Projects {
  create(name: string): { project_id: string }
  list(): ProjectRow[]
}

export interface Tokens {
  /** Answers the secret, this once: only its hash is kept. Error `config.service` for a name in use or an unknown project. */
  create(name: string, reach?: { project_ids?: readonly string[] }): { token: string }
  list(): TokenRow[]
  /** Answers whether there was one; a service that runs on the same data refuses it within a second. */
  revoke(name: string): boolean
}

export interface Caller {
  token: number
  every_project: boolean
  /** The projects that were found within reach, by id. */
  projects: Map<string, number>
}

interface Remembered extends Caller {
  until_ms: number
}

const remembered_ms = 1_000
/** More tokens than one machine's service has at work at once. */
const remembered_most = 1_000

export interface Access {
  projects: Projects
  tokens: Tokens
  /**
   * Who sends this X-API-Key, or undefined. What was found is believed for `remembered_ms`: a token revoked by a command beside
   * the running service is refused from then on, one revoked by the service itself at once.
   */
  callerOf(token: unknown): Caller | undefined
  /** The number of a project, whoever asks. */
  projectNumber(project_id: string): number | undefined
  /** The number of a project within the caller's reach, or undefined. */
  projectOf(caller: Caller, project_id: string): number | undefined
}

export function openAccess(database: Sqlite, clock: Clock): Access {
  const find_token = database.prepare('SELECT seq, hash, every_project FROM tokens WHERE hash = ?')
  const find_project = database.prepare('SELECT seq FROM projects WHERE project_id = ?')
  const projectNumber = (project_id: string) => (find_project.get(project_id) as { seq: number } | undefined)?.seq
  const find_reach = database.prepare('SELECT 1 FROM token_projects WHERE token = ? AND project = ?')

  const memory = new Map<string, Remembered>()

  function lookUp(hashed: Buffer): Remembered | undefined {
    const row = find_token.get(hashed) as { seq: number; hash: Buffer; every_project: number } | undefined
    // The index compares hashes, of which a caller controls no byte; the last word is a comparison in constant time.
    if (!row || !timingSafeEqual(row.hash, hashed)) return undefined
    const until_ms = clock.monotonic_ms() + remembered_ms
    return { token: row.seq, every_project: row.every_project === 1, projects: new Map(), until_ms }
  }

  return {
    projects: openProjects(database, clock),
    tokens: openTokens(database, clock, () => memory.clear()),
    callerOf(token) {
      if (typeof token !== 'string' || !token_pattern.test(token)) return undefined
      const hashed = hashOf(token)
      const key = hashed.toString('latin1')
      const known = memory.get(key)
      if (known && known.until_ms > clock.monotonic_ms()) return known
      memory.delete(key)
      const found = lookUp(hashed)
      if (memory.size >= remembered_most) memory.clear()
      if (found) memory.set(key, found)
      return found
    },
    projectNumber,
    projectOf(caller, project_id) {
      const known = caller.projects.get(project_id)
      if (known !== undefined) return known
      const project = projectNumber(project_id)
      if (project === undefined) return undefined
      if (!caller.every_project && !find_reach.get(caller.token, project)) return undefined
      caller.projects.set(project_id, project)
      return project
    },
  }
}

function openProjects(database: Sqlite, clock: Clock): Projects {
  return {
    create(name) {
      checkName('project', name)
      const now_ms = clock.now_ms()
      const project_id = makeId('project', now_ms)
      database
        .prepare('INSERT INTO projects (project_id, name, created_at_ms) VALUES (?, ?, ?)')
        .run(project_id, name, now_ms)
      return { project_id }
    },
    list() {
      const rows = database.prepare('SELECT project_id, name, created_at_ms FROM projects ORDER BY seq').all()
      return (rows as { project_id: string; name: string; created_at_ms: number }[]).map((row) => ({
        project_id: row.project_id,
        name: row.name,
        created_at: isoTime(row.created_at_ms),
      }))
    },
  }
}

function openTokens(database: Sqlite, clock: Clock, forget: () => void): Tokens {
  const insert = database.prepare('INSERT INTO tokens (name, hash, every_project, created_at_ms) VALUES (?, ?, ?, ?)')
  const insert_reach = database.prepare('INSERT OR IGNORE INTO token_projects (token, project) VALUES (?, ?)')
  const in_use = database.prepare('SELECT 1 FROM tokens WHERE name = ?')
  const find_project = database.prepare('SELECT seq FROM projects WHERE project_id = ?')

  const create = database.transaction((name: string, hashed: Buffer, project_ids?: readonly string[]) => {
    if (in_use.get(name)) throw refused(`there is a token called ${name} already`, 'choose another name, or revoke it')
    const { lastInsertRowid } = insert.run(name, hashed, project_ids === undefined ? 1 : 0, clock.now_ms())
    for (const project_id of project_ids ?? []) {
      const project = find_project.get(project_id) as { seq: number } | undefined
      if (!project) throw refused(`there is no project ${project_id}`, 'list them with `sluice serve project list`')
      insert_reach.run(lastInsertRowid, project.seq)
    }
  })

  return {
    create(name, { project_ids } = {}) {
      checkName('token', name)
      const token = makeToken()
      create.immediate(name, hashOf(token), project_ids)
      return { token }
    },
    list() {
      const rows = database
        .prepare(
          `SELECT name, every_project, created_at_ms,
             (SELECT json_group_array(project_id) FROM token_projects JOIN projects ON projects.seq = project
              WHERE token = tokens.seq) AS project_ids
           FROM tokens ORDER BY seq`,
        )
        .all()
      return (rows as { name: string; every_project: number; created_at_ms: number; project_ids: string }[]).map(
        (row) => ({
          name: row.name,
          ...(row.every_project ? {} : { project_ids: JSON.parse(row.project_ids) as string[] }),
          created_at: isoTime(row.created_at_ms),
        }),
      )
    },
    revoke(name) {
      const { changes } = database.prepare('DELETE FROM tokens WHERE name = ?').run(name)
      forget()
      return changes > 0
    },
  }
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const token_letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 32 letters and digits, each of 62 with equal chance (bytes from 248 on are drawn again): 190 bits. */
function makeToken(): string {
  let tail = ''
  while (tail.length < 32) {
    for (const byte of randomBytes(48)) {
      if (byte < 248 && tail.length < 32) tail += token_letters[byte % 62]
    }
  }
  return `pat_${tail}`
}

function checkName(what: string, name: string): void {
  if (name.trim() !== '' && name.length <= name_longest && !/\p{Cc}/u.test(name)) return
  throw refused(`"${name}" cannot be the name of a ${what}`, `use 1 to ${name_longest} visible characters`)
}

function refused(message: string, hint: string): SluiceError {
  return new SluiceError({ code: 'config.service', message, hint })
}
