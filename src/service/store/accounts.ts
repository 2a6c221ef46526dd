import { hash, randomBytes } from 'node:crypto'
import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import { refused } from '../faults/faults.ts'
import { checkEmail, checkName, listRows, projectWith } from './administration.ts'
import { makeId, statementsOf } from './database.ts'

interface TokenRow {
  name: string
  /** The e-mail address of the user; absent for a token without a user. */
  user?: string
  /** Absent: every project that the token can reach, including later ones. */
  project_ids?: string[]
  created_at: string
}

interface TokenReach {
  project_ids?: readonly string[] | undefined
  /** The e-mail address of a user: the token reaches this user's projects in the user's role. */
  user?: string | undefined
}

/** Tokens are made and revoked on this machine only, never through `/v1`. */
export function openTokens(database: Sqlite, clock: Clock) {
  const { value, run } = statementsOf(database)
  const create = database.transaction((name: string, hashed: Buffer, { project_ids, user }: TokenReach) => {
    if (value('SELECT 1 FROM tokens WHERE name = ?', name)) {
      throw refused(`the token ${name} already exists`, 'choose another name, or revoke it')
    }
    const whose = user === undefined ? null : value('SELECT seq FROM users WHERE email = ?', user)
    if (whose === undefined) throw refused(`the user ${user} does not exist`, 'list them with `sluice serve user list`')
    const { lastInsertRowid } = run(
      `INSERT INTO tokens (name, hash, every_project, created_at_ms, user)
       VALUES (@name, @hashed, @every_project, @now_ms, @whose)`,
      { name, hashed, every_project: project_ids === undefined ? 1 : 0, now_ms: clock.now_ms(), whose },
    )
    for (const project_id of project_ids ?? []) {
      const project = projectWith(database, project_id)
      run('INSERT OR IGNORE INTO token_projects (token, project) VALUES (?, ?)', lastInsertRowid, project)
    }
  })

  return {
    /**
     * Returns the token, which is shown only once, because only its hash is stored. Error
     * `config.service` for a name in use, or an unknown project or user.
     */
    create(name: string, reach: TokenReach = {}): { token: string } {
      checkName('a token', name)
      const token = makeToken()
      create.immediate(name, hashOf(token), reach)
      return { token }
    },
    list: () =>
      listRows<TokenRow>(
        database,
        `SELECT name, (SELECT email FROM users WHERE seq = user) AS user,
           CASE every_project WHEN 0 THEN
             (SELECT json_group_array(project_id) FROM token_projects JOIN projects ON projects.seq = project
              WHERE token = tokens.seq)
           END AS project_ids, created_at_ms
         FROM tokens ORDER BY seq`,
        ['project_ids'],
      ),
    /**
     * Returns false if there is no such token. A running service refuses a revoked one from the
     * next request on.
     */
    revoke(name: string): boolean {
      return run('DELETE FROM tokens WHERE name = ?', name).changes > 0
    },
  }
}

export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const token_letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Makes 32 letters and digits with equal chances: it skips bytes from 248 on. 190 random bits. */
function makeToken(): string {
  let tail = ''
  while (tail.length < 32) {
    for (const byte of randomBytes(48)) {
      if (byte < 248 && tail.length < 32) tail += token_letters[byte % 62]
    }
  }
  return `pat_${tail}`
}

interface UserRow {
  user_id: string
  email: string
  name?: string
  created_at: string
  projects: { project_id: string; role: Role }[]
}

/** A token without a user is an owner in the projects that it reaches. */
const only_owner_of = `SELECT project_id FROM members JOIN users ON users.seq = user JOIN projects ON projects.seq = project
  WHERE email = ? AND role = 'owner'
    AND (SELECT count(*) FROM members AS owners WHERE owners.project = projects.seq AND owners.role = 'owner') = 1
    AND NOT EXISTS (SELECT 1 FROM tokens LEFT JOIN token_projects ON token = tokens.seq
      WHERE user IS NULL AND (every_project = 1 OR project = projects.seq))`

/** A page of members can start after a removed one. */
const keep_places = `INSERT INTO removed (id, project, position)
  SELECT user_id, project, members.seq FROM members JOIN users ON users.seq = user WHERE email = ?`

/** Users are made and removed by commands on this machine only, never through `/v1`. */
export function openUsers(database: Sqlite, clock: Clock) {
  const { value, run } = statementsOf(database)
  const create = database.transaction((email: string, name: string | undefined) => {
    if (value('SELECT 1 FROM users WHERE email = ?', email)) {
      throw refused(`the user ${email} already exists`, 'list them with `sluice serve user list`')
    }
    const now_ms = clock.now_ms()
    const user_id = makeId('user', now_ms)
    const { lastInsertRowid: user } = run(
      'INSERT INTO users (user_id, email, name, created_at_ms) VALUES (@user_id, @email, @name, @now_ms)',
      { user_id, email, name, now_ms },
    )
    run(
      `INSERT INTO members (project, user, role, join_method, added_at_ms)
       SELECT project, @user, role, 'invited', @now_ms FROM invitations WHERE email = @email ORDER BY seq`,
      { user, now_ms, email },
    )
    return user_id
  })

  // A used invitation stays in the table. If it stayed after the user, a new user with this address
  // would get the old roles.
  const remove = database.transaction((email: string) => {
    const project_id = value<string>(only_owner_of, email)
    if (project_id !== undefined) {
      const command = `sluice serve token create NAME --projects ${project_id}`
      const hint = `\`${command}\` makes a token that is an owner, and can invite another one`
      throw refused(`${email} is the only owner of the project ${project_id}, which needs one`, hint)
    }
    run(keep_places, email)
    const { changes } = run('DELETE FROM users WHERE email = ?', email)
    if (changes > 0) run('DELETE FROM invitations WHERE email = ?', email)
    return changes > 0
  })

  return {
    /**
     * Makes a user, who becomes a member of every project that has invited this address. Error
     * `config.service` for an address in use.
     */
    create(email: string, name?: string): { user_id: string } {
      checkEmail(email)
      if (name !== undefined) checkName('a user', name)
      return { user_id: create.immediate(email, name) }
    },
    list: () =>
      listRows<UserRow>(
        database,
        `SELECT user_id, email, name, created_at_ms,
           (SELECT json_group_array(json_object('project_id', project_id, 'role', role))
            FROM members JOIN projects ON projects.seq = project WHERE user = users.seq) AS projects
         FROM users ORDER BY seq`,
        ['projects'],
      ),
    /**
     * Also removes the user's tokens, memberships, invitations, skills and memories. Returns false
     * if there is no such user. Error `config.service` if a project would have no owner left.
     */
    remove: (email: string): boolean => remove.immediate(email),
  }
}
