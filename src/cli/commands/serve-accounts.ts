import { SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { zonedText } from '../../base/time/time.ts'
import { type Role, roles } from '../../contract/messages/messages-projects.ts'
import { printNote } from '../text/print.ts'
import { right, shrinking } from '../text/table.ts'
import { serveList, serveVerb, wordsIfGiven } from './serve-verb.ts'

export const user = {
  create: serveVerb({
    argument: ['email', 'their e-mail address'],
    options: { name: 'the name that other users see' },
    may_begin: true,
    run: ({ users }, { email, name }, terminal) => terminal.out(users.create(email, name).user_id),
  }),

  list: serveList(
    [shrinking('USER'), 'CREATED', shrinking('NAME'), shrinking('MEMBER OF')],
    ({ users }) =>
      users.list().map(({ email, created_at, name = '', projects }) => {
        return [
          email,
          created_at,
          name,
          projects.map(({ project_id, role }) => `${project_id} (${role})`).join(' '),
        ]
      }),
  ),

  remove: serveVerb({
    argument: ['email', 'the e-mail address of the user'],
    run({ users }, { email }, terminal) {
      users.remove(email)
      printNote(
        terminal,
        `${email} is removed; a running service refuses their tokens from the next request on`,
      )
    },
  }),
}

const of_project = { needed: 'the id of the project, or its name' }

export const member = {
  /** Standard output has only the link, which is a secret. */
  add: serveVerb({
    argument: ['email', 'their e-mail address'],
    options: {
      project: of_project,
      role: {
        needed: 'a reader asks, a collaborator also sends files, an owner also invites others',
        choices: roles,
      },
    },
    run({ members }, { email, project, role }, terminal) {
      const invitation = members.add(email, project, role as Role)
      const note = invitation
        ? `is no user yet. Send them this link: it shows them a token, once, until ${zonedText(invitation.expires_at_ms)}`
        : `has the role ${role} in ${project}; \`sluice serve token create NAME --user ${email}\` makes a token for them`
      printNote(terminal, `${email} ${note}`)
      if (invitation) terminal.out(invitation.url)
    },
  }),

  list: serveList(
    ['PROJECT', 'SINCE', shrinking('ROLE'), 'JOINED', shrinking('USER')],
    ({ members }, { project }) =>
      members
        .list(project)
        .map((row) => [row.project_id, row.created_at, row.role, row.joined, row.email]),
    { project: 'a project by its id or its name: only its members' },
  ),

  remove: serveVerb({
    argument: ['email', 'the e-mail address of the member'],
    options: { project: of_project },
    run({ members }, { email, project }, terminal) {
      const was_member = members.remove(email, project) === 'member'
      const note = was_member
        ? `is removed from ${project}; their tokens reach it no more`
        : `is no longer invited to ${project}; the link works no more`
      printNote(terminal, `${email} ${note}`)
    },
  }),
}

export const token = {
  /** Standard output has only the secret, so that it can go into a file. It is not shown again. */
  create: serveVerb({
    argument: ['name', 'a name, needed to revoke it'],
    options: {
      projects: 'the projects that it may use, by id or name, with commas; default: every project',
      user: 'the e-mail address of its user; without it, the token has the role owner in its projects',
    },
    run({ tokens }, { name, projects, user }, terminal) {
      terminal.out(tokens.create(name, { user, project_ids: wordsIfGiven(projects) }).token)
      printNote(terminal, 'Keep it in a file that only you can read: it is not shown again.')
      if (tokens.list().find((made) => made.name === name)?.project_ids?.length !== 0) return
      const member = `\`sluice serve member add ${user} --project PROJECT --role ROLE\``
      const what = projects === undefined ? 'a member of no project' : `no member of ${projects}`
      printNote(terminal, `It reaches nothing yet: ${user} is ${what}. ${member} changes that.`)
    },
  }),

  list: serveList([shrinking('TOKEN'), 'CREATED', shrinking('USER'), 'PROJECTS'], ({ tokens }) =>
    tokens.list().map(({ name, created_at, user = '', project_ids }) => {
      return [name, created_at, user, project_ids ? project_ids.join(' ') || 'none' : 'every']
    }),
  ),

  revoke: serveVerb({
    argument: ['name', 'the name of the token'],
    run({ tokens }, { name }, terminal) {
      tokens.revoke(name)
      printNote(
        terminal,
        `${name} is revoked; a running service refuses it from the next request on`,
      )
    },
  }),
}

export const workspace = {
  create: serveVerb({
    argument: ['name', 'a name, needed to make projects in it'],
    options: {
      organisation: 'its organisation, made if it is new; default: the organisation called default',
    },
    run({ workspaces }, { name, organisation }, terminal) {
      workspaces.create(name, organisation)
      const how = '`sluice serve project create NAME --workspace` makes a project in it'
      printNote(terminal, `the workspace ${name} exists now; ${how}`)
    },
  }),

  list: serveList(
    [shrinking('ORGANISATION'), shrinking('WORKSPACE'), 'CREATED', right('PROJECTS')],
    ({ workspaces }) =>
      workspaces
        .list()
        .map((row) => [row.organisation, row.workspace, row.created_at, String(row.projects)]),
  ),
}

export const project = {
  create: serveVerb({
    argument: ['name', 'the name that users see'],
    options: {
      workspace: 'the workspace that holds it',
      organisation: 'the organisation of the workspace',
    },
    may_begin: true,
    run({ projects }, { name, workspace, organisation }, terminal) {
      terminal.out(projects.create(name, { organisation, workspace }).project_id)
    },
  }),

  remove: serveVerb({
    argument: ['project', 'the id of the project, or its name'],
    options: { yes: { flag: 'remove it with all that is in it' } },
    run({ projects }, { project, yes }, terminal) {
      const { project_id, name, assets, chats, members } = projects.contents(project)
      const contents = [
        counted(assets, 'asset'),
        counted(chats, 'chat'),
        counted(members, 'member'),
      ].join(', ')
      if (!yes) {
        throw new SluiceError({
          code: 'usage.unconfirmed',
          message: `${name} would be removed for good, with all that is in it: ${contents}`,
          hint: `to remove it: \`sluice serve project remove ${project_id} --yes\``,
        })
      }
      projects.remove(project_id)
      printNote(terminal, `${name} (${project_id}) is removed, with ${contents}`)
    },
  }),

  list: serveList(
    ['PROJECT', 'CREATED', shrinking('ORGANISATION'), shrinking('WORKSPACE'), shrinking('NAME')],
    ({ projects }) =>
      projects
        .list()
        .map((row) => [row.project_id, row.created_at, row.organisation, row.workspace, row.name]),
  ),
}
