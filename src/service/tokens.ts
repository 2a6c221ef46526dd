import { hash, randomBytes } from 'node:crypto'
import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { checkName, refused } from './administration.ts'

interface TokenRow {
  name: string
  /** The e-mail address of its user; absent: it belongs to nobody. */
  user?: string
  /** Absent: every project that it may reach, those that come later included. */
  project_ids?: string[]
  created_at: string
}

interface TokenReach {
  project_ids?: readonly string[] | undefined
  /** The e-mail address of a user: the token reaches what this user is a member of, in their role. */
  user?: string | undefined
}

/** Tokens are made and revoked on this machine only: never through `/v1`. */
export interface Tokens {
  /** Answers the secret, this once: only its hash is kept. Error `config.service` for a name in use, an unknown project or user. */
  create(name: string, reach?: TokenReach): { token: string }
  list(): TokenRow[]
  /** Answers whether there was one; a service that runs on the same data refuses it from the next request on. */
  revoke(name: string): boolean
}

interface RawToken {
  name: string
  every_project: number
  created_at_ms: number
  user: string | null
  project_ids: string
}

export function openTokens(database: Sqlite, clock: Clock, forget: () => void): Tokens {
  const insert = database.prepare(
    'INSERT INTO tokens (name, hash, every_project, created_at_ms, user) VALUES (?, ?, ?, ?, ?)',
  )
  const insert_reach = database.prepare('INSERT OR IGNORE INTO token_projects (token, project) VALUES (?, ?)')
  const in_use = database.prepare('SELECT 1 FROM tokens WHERE name = ?')
  const find_user = database.prepare('SELECT seq FROM users WHERE email = ?').pluck()
  const find_project = database.prepare('SELECT seq FROM projects WHERE project_id = ?')

  const create = database.transaction((name: string, hashed: Buffer, { project_ids, user }: TokenReach) => {
    if (in_use.get(name)) throw refused(`there is a token called ${name} already`, 'choose another name, or revoke it')
    const whose = user === undefined ? null : find_user.get(user)
    if (whose === undefined) throw refused(`there is no user ${user}`, 'list them with `sluice serve user list`')
    const every_project = project_ids === undefined ? 1 : 0
    const { lastInsertRowid } = insert.run(name, hashed, every_project, clock.now_ms(), whose)
    for (const project_id of project_ids ?? []) {
      const project = find_project.get(project_id) as { seq: number } | undefined
      if (!project) throw refused(`there is no project ${project_id}`, 'list them with `sluice serve project list`')
      insert_reach.run(lastInsertRowid, project.seq)
    }
  })

  return {
    create(name, reach = {}) {
      checkName('a token', name)
      const token = makeToken()
      create.immediate(name, hashOf(token), reach)
      return { token }
    },
    list() {
      const rows = database
        .prepare(
          `SELECT name, every_project, created_at_ms, (SELECT email FROM users WHERE seq = user) AS user,
             (SELECT json_group_array(project_id) FROM token_projects JOIN projects ON projects.seq = project
              WHERE token = tokens.seq) AS project_ids
           FROM tokens ORDER BY seq`,
        )
        .all()
      return (rows as RawToken[]).map((row) => ({
        name: row.name,
        ...(row.user === null ? {} : { user: row.user }),
        ...(row.every_project ? {} : { project_ids: JSON.parse(row.project_ids) as string[] }),
        created_at: isoTime(row.created_at_ms),
      }))
    },
    revoke(name) {
      const { changes } = database.prepare('DELETE FROM tokens WHERE name = ?').run(name)
      forget()
      return changes > 0
    },
  }
}

export function hashOf(token: string): Buffer {
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
