import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import { refused } from '../faults/faults.ts'
import { checkEmail, checkName, listRows } from './administration.ts'
import { statementsOf } from './database.ts'
import { makeId } from './ids.ts'

interface UserRow {
  user_id: string
  email: string
  name?: string
  created_at: string
  projects: { project_id: string; role: Role }[]
}

/** Users are made on this machine only. */
export function openUsers(database: Sqlite, clock: Clock, forget: () => void) {
  const { value, run } = statementsOf(database)
  const create = database.transaction((email: string, name: string | undefined) => {
    if (value('SELECT 1 FROM users WHERE email = ?', email)) {
      throw refused(`there is a user ${email} already`, 'list them with `sluice serve user list`')
    }
    const now_ms = clock.now_ms()
    const user_id = makeId('user', now_ms)
    const { lastInsertRowid: user } = run(
      'INSERT INTO users (user_id, email, name, created_at_ms) VALUES (@user_id, @email, @name, @now_ms)',
      { user_id, email, name, now_ms },
    )
    run(
      `INSERT INTO members (project, user, role, added_at_ms)
       SELECT project, @user, role, @now_ms FROM invitations WHERE email = @email ORDER BY seq`,
      { user, now_ms, email },
    )
    return user_id
  })

  // An invitation that was taken up still stands: it would bring somebody who comes back with the same address to their old roles.
  const remove = database.transaction((email: string) => {
    const { changes } = run('DELETE FROM users WHERE email = ?', email)
    if (changes > 0) run('DELETE FROM invitations WHERE email = ?', email)
    return changes > 0
  })

  return {
    /** A member at once wherever this address was invited. Error `config.service` for an address in use. */
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
    /** Takes tokens, memberships, invitations, skills and memories of the user away, too. Answers whether there was one. */
    remove(email: string): boolean {
      const was_there = remove.immediate(email)
      forget()
      return was_there
    },
  }
}
