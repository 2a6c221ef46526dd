import type { Sqlite } from '../base/sqlite.ts'
import type { Role } from '../contract/messages-projects.ts'
import type { Listing } from './paging.ts'

export interface MemberRow {
  seq: number
  user: number
  user_id: string
  email: string
  name: string | null
  role: Role
  added_at_ms: number
}

export interface InvitationRow {
  seq: number
  invitation_id: string
  email: string
  role: Role
  created_at_ms: number
}

export interface MemberStore {
  /** A member from now on, or one with another role. */
  set(project: number, user: number, role: Role, now_ms: number): void
  isLastOwner(project: number, user: number): boolean
  /** Oldest first. */
  listing(project: number): Listing<MemberRow, number>
  userWith(email: string): number | undefined
  /** The invitation of this address, made when new, with this role. */
  invite(project: number, invitation: Omit<InvitationRow, 'seq'>): InvitationRow
  /** Answers whether there was one. */
  uninvite(project: number, invitation_id: string): boolean
}

export function openMemberStore(database: Sqlite): MemberStore {
  const columns = 'members.seq, user, user_id, email, users.name, role, added_at_ms'
  const list = (condition: string) =>
    database.prepare(
      `SELECT ${columns} FROM members JOIN users ON users.seq = user WHERE project = ? AND members.seq ${condition} LIMIT ?`,
    )
  const sql = {
    set: database.prepare(
      `INSERT INTO members (project, user, role, added_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (project, user) DO UPDATE SET role = excluded.role`,
    ),
    owners: database.prepare(`SELECT user FROM members WHERE project = ? AND role = 'owner' LIMIT 2`).pluck(),
    onward: list('> ? ORDER BY members.seq'),
    back: list('< ? ORDER BY members.seq DESC'),
    place: database
      .prepare('SELECT members.seq FROM members JOIN users ON users.seq = user WHERE user_id = ? AND project = ?')
      .pluck(),
    user_with: database.prepare('SELECT seq FROM users WHERE email = ?').pluck(),
    invite: database.prepare(
      `INSERT INTO invitations (invitation_id, project, email, role, created_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (project, email) DO UPDATE SET role = excluded.role RETURNING *`,
    ),
    uninvite: database.prepare('DELETE FROM invitations WHERE invitation_id = ? AND project = ?'),
  }

  return {
    set: (project, user, role, now_ms) => void sql.set.run(project, user, role, now_ms),
    isLastOwner(project, user) {
      const owners = sql.owners.all(project)
      return owners.length === 1 && owners[0] === user
    },
    listing: (project) => ({
      positionOf: (id) => sql.place.get(id, project) as number | undefined,
      forward: (after, count) => sql.onward.all(project, after ?? 0, count) as MemberRow[],
      backward: (before, count) => sql.back.all(project, before, count) as MemberRow[],
      idOf: ({ user_id }) => user_id,
    }),
    userWith: (email) => sql.user_with.get(email) as number | undefined,
    invite: (project, { invitation_id, email, role, created_at_ms }) =>
      sql.invite.get(invitation_id, project, email, role, created_at_ms) as InvitationRow,
    uninvite: (project, invitation_id) => sql.uninvite.run(invitation_id, project).changes > 0,
  }
}
