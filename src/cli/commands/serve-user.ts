import { printNote } from '../text/print.ts'
import { shrinking } from '../text/table.ts'
import { refuseUnknown, serveList, serveVerb } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['email', 'their e-mail address'],
  options: { name: 'their name, for people' },
  run: ({ users }, { email, name }, terminal) => terminal.out(users.create(email, name).user_id),
})

export const list = serveList([shrinking('USER'), 'CREATED', shrinking('NAME'), shrinking('MEMBER OF')], ({ users }) =>
  users.list().map(({ email, created_at, name = '', projects }) => {
    return [email, created_at, name, projects.map(({ project_id, role }) => `${project_id} (${role})`).join(' ')]
  }),
)

export const remove = serveVerb({
  argument: ['email', 'the e-mail address of the user'],
  run({ users }, { email }, terminal) {
    refuseUnknown(users.remove(email), `user ${email}`, 'sluice serve user list')
    printNote(terminal, `${email} is removed; a service that runs refuses their tokens from the next request on`)
  },
})
