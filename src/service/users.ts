import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import type { Role } from '../contract/messages-projects.ts'
import { checkEmail, checkName, refused } from './administration.ts'
import { makeId } from './ids.ts'

interface UserRow {
  user_id: string
  email: string
  name?: string
  created_at: string
  projects: { project_id: string; role: Role }[]
}

/** Users are made on this machine only. */
export interface Users {
  /** A member at once wherever this address was invited. Error `config.service` for an address in use. */
  create(email: string, name?: string): { user_id: string }
  list(): UserRow[]
  /** Takes tokens, memberships, invitations, skills and memories of the user away, too. Answers whether there was one. */
  remove(email: string): boolean
}

export function openUsers(database: Sqlite, clock: Clock, forget: () => void): Users {
  const in_use = database.prepare('SELECT 1 FROM users WHERE email = ?')
  const insert = database.prepare('INSERT INTO users (user_id, email, name, created_at_ms) VALUES (?, ?, ?, ?)')
  const accept = database.prepare(
    `INSERT INTO members (project, user, role, added_at_ms)
     SELECT project, ?, role, ? FROM invitations WHERE email = ? ORDER BY seq`,
  )
  const create = database.transaction((email: string, name: string | null) => {
    if (in_use.get(email)) throw refused(`there is a user ${email} already`, 'list them with `sluice serve user list`')
    const now_ms = clock.now_ms()
    const user_id = makeId('user', now_ms)
    const { lastInsertRowid } = insert.run(user_id, email, name, now_ms)
    accept.run(lastInsertRowid, now_ms, email)
    return user_id
  })

  // An invitation that was taken up still stands: it would bring somebody who comes back with the same address to their old roles.
  const remove = database.transaction((email: string) => {
    const { changes } = database.prepare('DELETE FROM users WHERE email = ?').run(email)
    if (changes > 0) database.prepare('DELETE FROM invitations WHERE email = ?').run(email)
    return changes > 0
  })

  return {
    create(email, name) {
      checkEmail(email)
      if (name !== undefined) checkName('a user', name)
      return { user_id: create.immediate(email, name ?? null) }
    },
    list() {
      const rows = database
        .prepare(
          `SELECT user_id, email, name, created_at_ms,
             (SELECT json_group_array(json_object('project_id', project_id, 'role', role))
              FROM members JOIN projects ON projects.seq = project WHERE user = users.seq) AS projects
           FROM users ORDER BY seq`,
        )
        .all()
      return (
        rows as { user_id: string; email: string; name: string | null; created_at_ms: number; projects: string }[]
      ).map(({ user_id, email, name, created_at_ms, projects }) => ({
        user_id,
        email,
        ...(name === null ? {} : { name }),
        created_at: isoTime(created_at_ms),
        projects: JSON.parse(projects) as UserRow['projects'],
      }))
    },
    remove(email) {
      const was_there = remove.immediate(email)
      forget()
      return was_there
    },
  }
}
