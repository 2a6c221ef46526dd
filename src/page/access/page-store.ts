import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openSqlite } from '../../base/files/sqlite.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { type Clock, day_ms, minute_ms } from '../../base/time/time.ts'
import { makeStateDirectory } from '../../ledger/file/state-directory.ts'
import type { Role, Viewer } from './viewer.ts'

/** The user of a one-time link has a terminal and a browser open. */
const link_ms = 10 * minute_ms
/** A session ends so long after the last request in it. */
export const session_ms = 7 * day_ms
/** One user has so many at most: a program without cookies may make one with each request. */
const max_sessions = 10_000

/*
 * users     who may sign in. `password` (see passwords.ts) is NULL for users of a proxy and for
 *           groups (`group:NAME`). `folders` is a list of names as JSON, or "all". `token` is the
 *           hash of the token for agents and feeds.
 * sessions  by the hash of the identifier in the cookie. `user`: NULL for a one-time link, an empty
 *           text for users of a proxy, whose sessions have only the token of forms.
 * links     hashes of one-time links.
 * questions what users asked (reads/asking.ts). `answer` is JSON, and NULL until it is there.
 * secrets   the key that signs cookies.
 * The identifiers themselves are not stored, so a copy of this file opens no session.
 */
const schema = `
CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL, folders TEXT NOT NULL, password TEXT, token TEXT UNIQUE) STRICT;
CREATE TABLE sessions (id TEXT PRIMARY KEY, user TEXT, data TEXT NOT NULL, ends_ms INTEGER NOT NULL) STRICT;
CREATE INDEX sessions_by_end ON sessions (ends_ms);
CREATE TABLE links (id TEXT PRIMARY KEY, ends_ms INTEGER NOT NULL) STRICT;
CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  wish TEXT NOT NULL,
  over TEXT NOT NULL,
  answer TEXT,
  error TEXT
) STRICT;
CREATE INDEX questions_of ON questions (user, asked_ms);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`

export const token_prefix = 'sluice_page_'

export interface PageUser {
  name: string
  role: Role
  folders: readonly string[] | 'all'
  /** As hashPassword made it; absent: no sign-in by password. */
  password?: string | undefined
  has_token?: boolean
}

/** The user who signed in. Who came `by_link`, a one-time link, is an operator. */
export interface SignedIn {
  user?: string | undefined
  by_link?: boolean | undefined
  /** It is stored already. */
  is_known?: boolean | undefined
}

export type PageStore = ReturnType<typeof openPageStore>

/** Opens page.db in the state directory (0600). Errors: `database.*`. */
export function openPageStore(state_dir: string, clock: Pick<Clock, 'now_ms'>) {
  makeStateDirectory(state_dir)
  const file = join(state_dir, 'page.db')
  const migrations = [{ version: 1, sql: schema }]
  const database = openSqlite({ file, migrations, synchronous: 'FULL', secure_delete: true })
  const put_user = database.prepare(
    `INSERT INTO users (name, role, folders, password) VALUES (@name, @role, @folders, @password)
       ON CONFLICT (name) DO UPDATE SET role = @role, folders = @folders, password = coalesce(@password, password)`,
  )
  const user_by = (column: string) => database.prepare(`SELECT * FROM users WHERE ${column} = ?`)
  const by_name = user_by('name')
  const by_token = user_by('token')
  const set_token = database.prepare('UPDATE users SET token = ? WHERE name = ?')
  const too_many = database.prepare(
    'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user IS ? ORDER BY ends_ms DESC LIMIT -1 OFFSET ?)',
  )

  return {
    /** For the questions of users, which have queries of their own. */
    database,
    users: (): PageUser[] =>
      database.prepare('SELECT * FROM users ORDER BY name').all().map(userOf),
    user: (name: string): PageUser | undefined => foundUser(by_name.get(name)),
    userOfToken: (token: string): PageUser | undefined => foundUser(by_token.get(hashOf(token))),
    putUser({ folders, password = null as never, ...user }: PageUser): void {
      put_user.run({ ...user, folders: JSON.stringify(folders), password })
      // A session that began with the old password ends.
      if (password) this.endSessions(user.name)
    },
    /** Also ends the user's sessions, token and questions. False if there is no such user. */
    removeUser(name: string): boolean {
      database.prepare('DELETE FROM questions WHERE user = ?').run(name)
      this.endSessions(name)
      return database.prepare('DELETE FROM users WHERE name = ?').run(name).changes > 0
    },
    /** A new token of the user, in place of an earlier one. Error `usage.user`. */
    makeToken(name: string): string {
      const token = `${token_prefix}${randomBytes(24).toString('base64url')}`
      if (set_token.run(hashOf(token), name).changes === 0) throw noSuchUser(name)
      return token
    },
    /** False if there is no such user. */
    removeToken: (name: string): boolean => set_token.run(null, name).changes > 0,
    /** The secret part of a one-time link. */
    makeLink(): string {
      const link = randomBytes(24).toString('base64url')
      database
        .prepare('INSERT INTO links VALUES (?, ?)')
        .run(hashOf(link), clock.now_ms() + link_ms)
      return link
    },
    /** True before its use, within ten minutes. */
    isOpenLink(link: string): boolean {
      const open = database.prepare('SELECT 1 FROM links WHERE id = ? AND ends_ms >= ?')
      return open.get(hashOf(link), clock.now_ms()) !== undefined
    },
    /** True once, within ten minutes. */
    useLink(link: string): boolean {
      const found = database
        .prepare('DELETE FROM links WHERE id = ? RETURNING ends_ms')
        .pluck()
        .get(hashOf(link))
      database.prepare('DELETE FROM links WHERE ends_ms < ?').run(clock.now_ms())
      return typeof found === 'number' && found >= clock.now_ms()
    },
    session(id: string): string | undefined {
      const row = database.prepare('SELECT data FROM sessions WHERE id = ? AND ends_ms > ?').pluck()
      return row.get(hashOf(id), clock.now_ms()) as string | undefined
    },
    /** `is_known`: it was read before. If it was ended since then, it stays ended. */
    keepSession(id: string, { user: named, by_link, is_known }: SignedIn, data: string): void {
      if (is_known && this.session(id) === undefined) return
      const now_ms = clock.now_ms()
      const user = by_link ? null : (named ?? '')
      database.prepare('DELETE FROM sessions WHERE ends_ms < ?').run(now_ms)
      too_many.run(user, max_sessions)
      database
        .prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)')
        .run(hashOf(id), user, data, now_ms + session_ms)
    },
    /** How many sessions each user has; `null` by one-time links. */
    sessionCounts() {
      const counts = database
        .prepare('SELECT user, count(*) FROM sessions WHERE ends_ms > ? GROUP BY user')
        .raw()
      return new Map(counts.all(clock.now_ms()) as [user: string | null, count: number][])
    },
    /** Ends the sessions of a user; `null`: those by one-time links, and links not used yet. */
    endSessions(user: string | null): number {
      if (user === null) database.exec('DELETE FROM links')
      return database.prepare('DELETE FROM sessions WHERE user IS ?').run(user).changes
    },
    endSession: (id: string) =>
      void database.prepare('DELETE FROM sessions WHERE id = ?').run(hashOf(id)),
    cookieSecret(): string {
      const made = randomBytes(32).toString('base64url')
      database.prepare(`INSERT INTO secrets VALUES ('cookie', ?) ON CONFLICT DO NOTHING`).run(made)
      return database
        .prepare(`SELECT value FROM secrets WHERE name = 'cookie'`)
        .pluck()
        .get() as string
    },
    close: () => database.close(),
  }
}

export function noSuchUser(name: string): SluiceError {
  const hint = '`sluice page user list` shows them; `sluice page user add` adds one'
  return new SluiceError({ code: 'usage.user', message: `the page has no user ${name}`, hint })
}

export function viewerOf({ name, role, folders }: PageUser, by: Viewer['by']): Viewer {
  return { name, role, folders, by }
}

function foundUser(row: unknown): PageUser | undefined {
  return row === undefined ? undefined : userOf(row)
}

function userOf(row: unknown): PageUser {
  type Row = {
    name: string
    role: Role
    folders: string
    password: string | null
    token: string | null
  }
  const { name, role, folders: seen, password, token } = row as Row
  const folders = JSON.parse(seen) as PageUser['folders']
  return { name, role, folders, password: password ?? undefined, has_token: token !== null }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
