import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { type Clock, day_ms } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import { refused } from '../faults/faults.ts'
import { endMemberships, hashOf, openTokens, openUsers, refuseLastOwner } from './accounts.ts'
import { checkEmail, listRows, projectWith, unknownThing } from './administration.ts'
import { makeId, statementsOf } from './database.ts'
import { openProjectStore } from './store-projects.ts'

interface Invitation {
  invitation_id: string
  project: number
  project_id: string
  /** The name of the project. */
  name: string
  email: string
  role: Role
  /** 1: the token reaches all projects of the user. 0: this one only. */
  every_project: 0 | 1
  /** 1: nothing is left to accept, so the link gives no token. */
  is_member: 0 | 1
  hash: Buffer
  created_at_ms: number
  expires_at_ms: number
}

/**
 * A week: long enough for a holiday of some days. A mailbox that is read by others later has only
 * links that no longer work.
 */
const lifetime_ms = 7 * day_ms

const secret_bytes = 32

/** A member can also be invited, for another role, and an invited person can become a member. */
const is_member = `EXISTS (SELECT 1 FROM members JOIN users ON users.seq = user
  WHERE members.project = invitations.project AND users.email = invitations.email)`

/** Users become members by command, or by accepting an invitation. */
export function openMembers(database: Sqlite, clock: Clock) {
  const { one, value, run } = statementsOf(database)
  const users = openUsers(database, clock)
  const tokens = openTokens(database, clock)
  const { userWith, setMember } = openProjectStore(database)

  /** The address that links begin with; undefined before the first start of the service. */
  const address = () => value<string>('SELECT api FROM address')

  const invited = `SELECT invitations.*, project_id, name, ${is_member} AS is_member
    FROM invitations JOIN projects ON projects.seq = project`

  /** Undefined for a used, expired, replaced or unknown link. */
  function invitationOf(secret: string): Invitation | undefined {
    const of_link = { hash: hashOf(secret), now_ms: clock.now_ms() }
    const found = one<Invitation>(
      `${invited} WHERE hash = @hash AND expires_at_ms > @now_ms`,
      of_link,
    )
    return found && timingSafeEqual(found.hash, of_link.hash) ? found : undefined
  }

  /**
   * Makes the invitation of this address, or gives the existing one this role. Only the hash of the
   * link is stored, so there is a new link each time, and the one before stops working.
   *
   * An owner can open the link, too. So the token of an owner's invitation must not reach other
   * projects of the user, now or later. A user of the commands can make any token anyway.
   */
  function invite(
    project: number,
    email: string,
    role: Role,
    by: 'owner' | 'command',
  ): Invitation & { url: string } {
    const api = address()
    if (api === undefined) {
      throw refused(
        `${email} is no user yet, and before the first start of the service no link has an address`,
        `start \`sluice serve\`, or make the user: \`sluice serve user create ${email}\``,
      )
    }
    const now_ms = clock.now_ms()
    const secret = randomBytes(secret_bytes).toString('base64url')
    const link = {
      hash: hashOf(secret),
      every_project: by === 'command' ? 1 : 0,
      expires_at_ms: now_ms + lifetime_ms,
    }
    run(
      `INSERT INTO invitations (invitation_id, project, email, role, hash, every_project, created_at_ms, expires_at_ms)
       VALUES (@id, @project, @email, @role, @hash, @every_project, @now_ms, @expires_at_ms)
       ON CONFLICT (project, email) DO UPDATE SET role = excluded.role, hash = excluded.hash,
         every_project = excluded.every_project, expires_at_ms = excluded.expires_at_ms`,
      { ...link, id: makeId('invitation', now_ms), project, email, role, now_ms },
    )
    return {
      ...one<Invitation>(`${invited} WHERE hash = ?`, link.hash)!,
      url: `${api}/invitations/${secret}`,
    }
  }

  /** Returns false if there is no such invitation. */
  const uninvite = (project: number, invitation_id: string) =>
    run('DELETE FROM invitations WHERE invitation_id = ? AND project = ?', invitation_id, project)
      .changes > 0

  return {
    address,
    setAddress: (api: string) =>
      run('INSERT OR REPLACE INTO address (only_row, api) VALUES (1, ?)', api),
    invite,
    invitationOf,
    uninvite,
    /**
     * Makes the invited person a member, and a user if needed. Returns a token of this user;
     * undefined as with `invitationOf`. A user gets no token by the link of an owner, who could
     * open it and act as that user. A member gets none by any link. Call it in a transaction.
     */
    accept(secret: string): { token: string | undefined } | undefined {
      const invitation = invitationOf(secret)
      if (invitation === undefined) return undefined
      if (invitation.is_member) return { token: undefined }
      const { invitation_id, project, project_id, email, role, every_project } = invitation
      const is_known = userWith(email) !== undefined
      if (!is_known) users.create(email)
      setMember(project, userWith(email)!, role, 'invited', clock.now_ms())
      uninvite(project, invitation_id)
      if (is_known && every_project === 0) return { token: undefined }
      return tokens.create(invitation_id, {
        user: email,
        project_ids: every_project ? undefined : [project_id],
      })
    },
    /**
     * Makes a user a member, or changes the role of a member. Returns an invitation if the address
     * has no user yet. Error `config.service`: an unknown project, or its only owner gets another
     * role.
     */
    add: database.transaction((email: string, project_id: string, role: Role) => {
      checkEmail(email)
      const { seq: project } = projectWith(database, project_id)
      const user = userWith(email)
      if (user === undefined) return invite(project, email, role, 'command')
      if (role !== 'owner') refuseLastOwner(database, email, project)
      setMember(project, user, role, 'added', clock.now_ms())
      return undefined
    }).immediate,
    /** Members and persons still invited. Error `config.service`: an unknown project. */
    list(of?: string) {
      const only = of === undefined ? undefined : projectWith(database, of).project_id
      const rows = listRows<{
        email: string
        project_id: string
        role: Role
        joined: string
        created_at: string
      }>(
        database,
        `SELECT email, project_id, role, join_method AS joined, added_at_ms AS created_at_ms
         FROM members JOIN users ON users.seq = user JOIN projects ON projects.seq = project
         UNION ALL SELECT email, project_id, role, 'not yet', invitations.created_at_ms
         FROM invitations JOIN projects ON projects.seq = project WHERE NOT ${is_member}
         ORDER BY project_id, email`,
      )
      return rows.filter(({ project_id }) => only === undefined || project_id === only)
    },
    /**
     * Returns what the person was. Error `config.service` for an address that is neither a member
     * nor invited, and for the only owner.
     */
    remove: database.transaction((email: string, project_id: string) => {
      const was = endMemberships(database, email, projectWith(database, project_id).seq)
      if (was === undefined) throw unknownThing('member', `${email} of ${project_id}`)
      return was
    }).immediate,
  }
}
