import { hash, randomBytes } from 'node:crypto'
import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import { refused } from '../faults/faults.ts'
import { checkEmail, checkName, listRows, projectWith, unknownThing } from './administration.ts'
import { makeId, statementsOf } from './database.ts'

interface TokenRow {
  name: string
  /** The e-mail address of the user; absent for a token without a user. */
  user?: string
  /** The projects that the token reaches now. Absent: every project, including later ones. */
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
  return {
    /**
     * Returns the token, which is shown only once, because only its hash is stored. Error
     * `config.service` for a name in use, or an unknown project or user.
     */
    create: database.transaction((name: string, { project_ids, user }: TokenReach = {}) => {
      const is_known = value('SELECT 1 FROM tokens WHERE name = ?', name) !== undefined
      checkToken(name, project_ids, is_known)
      const whose = user === undefined ? null : value('SELECT seq FROM users WHERE email = ?', user)
      if (whose === undefined) throw unknownThing('user', user!)
      const token = makeToken()
      const { lastInsertRowid } = run(
        `INSERT INTO tokens (name, hash, every_project, created_at_ms, user)
         VALUES (@name, @hashed, @every_project, @now_ms, @whose)`,
        {
          name,
          hashed: hashOf(token),
          every_project: project_ids ? 0 : 1,
          now_ms: clock.now_ms(),
          whose,
        },
      )
      for (const project_id of project_ids ?? []) {
        const { seq: project } = projectWith(database, project_id)
        run(
          'INSERT OR IGNORE INTO token_projects (token, project) VALUES (?, ?)',
          lastInsertRowid,
          project,
        )
      }
      return { token }
    }).immediate,
    list: () =>
      listRows<TokenRow>(
        database,
        `SELECT name, (SELECT email FROM users WHERE seq = user) AS user,
           CASE WHEN every_project = 0 OR user IS NOT NULL THEN
             (SELECT json_group_array(project_id) FROM projects
              WHERE (user IS NULL OR EXISTS (SELECT 1 FROM members WHERE project = projects.seq AND user = tokens.user))
                AND (every_project = 1
                  OR EXISTS (SELECT 1 FROM token_projects WHERE token = tokens.seq AND project = projects.seq)))
           END AS project_ids, created_at_ms
         FROM tokens ORDER BY seq`,
        ['project_ids'],
      ),
    /** A running service refuses the token from the next request on. Error `config.service`. */
    revoke(name: string): void {
      if (run('DELETE FROM tokens WHERE name = ?', name).changes === 0)
        throw unknownThing('token', name)
    },
  }
}

function checkToken(
  name: string,
  project_ids: readonly string[] | undefined,
  is_known: boolean,
): void {
  checkName('a token', name)
  if (project_ids?.length === 0)
    throw refused(
      `the token ${name} would reach no project`,
      'name projects; without --projects it reaches all',
    )
  if (is_known)
    throw refused(`the token ${name} already exists`, 'choose another name, or revoke it')
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
  WHERE email = @email AND (@project IS NULL OR project = @project) AND role = 'owner'
    AND (SELECT count(*) FROM members AS owners WHERE owners.project = projects.seq AND owners.role = 'owner') = 1
    AND NOT EXISTS (SELECT 1 FROM tokens LEFT JOIN token_projects ON token = tokens.seq
      WHERE user IS NULL AND (every_project = 1 OR project = projects.seq))`

/**
 * For a user who is removed, or gets another role, in all projects or in this one. Error
 * `config.service`: a project would have no owner left.
 */
export function refuseLastOwner(database: Sqlite, email: string, project: number | null): void {
  const project_id = statementsOf(database).value<string>(only_owner_of, { email, project })
  if (project_id === undefined) return
  throw refused(
    `${email} is the only owner of the project ${project_id}: it needs another one first`,
    `make another one with \`sluice serve member add EMAIL --project ${project_id} --role owner\`` +
      ` (a person who is no user yet must accept first), or \`sluice serve project remove ${project_id}\``,
  )
}

/**
 * Removes a user's memberships and invitations in all projects or in this one, with what only the
 * user saw there. Returns what there was. Error `config.service`: see `refuseLastOwner`.
 */
export function endMemberships(
  database: Sqlite,
  email: string,
  project: number | null,
): 'member' | 'invited' | undefined {
  const { run } = statementsOf(database)
  const whose = { email, project }
  const in_reach = '(@project IS NULL OR project = @project)'
  const user = '(SELECT seq FROM users WHERE email = @email)'
  refuseLastOwner(database, email, project)
  // A page of members can start after this one.
  run(
    `INSERT OR REPLACE INTO removed (id, project, position)
     SELECT user_id, project, members.seq FROM members JOIN users ON users.seq = user WHERE email = @email AND ${in_reach}`,
    whose,
  )
  run(`DELETE FROM resources WHERE owner = ${user} AND ${in_reach}`, whose)
  // A new user with this address would get the old roles.
  const invited = run(`DELETE FROM invitations WHERE email = @email AND ${in_reach}`, whose)
  if (run(`DELETE FROM members WHERE user = ${user} AND ${in_reach}`, whose).changes > 0)
    return 'member'
  return invited.changes > 0 ? 'invited' : undefined
}

/** Users are made by commands and by accepted invitations, and removed by commands only. */
export function openUsers(database: Sqlite, clock: Clock) {
  const { value, run } = statementsOf(database)
  return {
    /** Makes a user without a project. Error `config.service` for an address in use. */
    create: database.transaction((email: string, name?: string) => {
      checkEmail(email)
      if (name !== undefined) checkName('a user', name)
      if (value('SELECT 1 FROM users WHERE email = ?', email)) {
        throw refused(`the user ${email} already exists`, 'list them with `sluice serve user list`')
      }
      const now_ms = clock.now_ms()
      const user_id = makeId('user', now_ms)
      run(
        'INSERT INTO users (user_id, email, name, created_at_ms) VALUES (?, ?, ?, ?)',
        user_id,
        email,
        name,
        now_ms,
      )
      return { user_id }
    }).immediate,
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
     * Also removes the user's tokens, memberships, invitations, skills and memories. Error
     * `config.service`: there is no such user, or a project would have no owner left.
     */
    remove: database.transaction((email: string) => {
      if (value('SELECT 1 FROM users WHERE email = ?', email) === undefined)
        throw unknownThing('user', email)
      endMemberships(database, email, null)
      run('DELETE FROM users WHERE email = ?', email)
    }).immediate,
  }
}
