import { SluiceError } from '../../base/run/errors.ts'
import { sayWhole } from '../text/say-whole.ts'
import { serveList, serveVerb } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['email', 'their e-mail address'],
  options: { name: 'their name, for people' },
  run: ({ users }, { email, name }, terminal) => terminal.out(users.create(email, name).user_id),
})

export const list = serveList(
  [
    { title: 'USER', shrinks: true },
    { title: 'CREATED' },
    { title: 'NAME', shrinks: true },
    { title: 'MEMBER OF', shrinks: true },
  ],
  ({ users }) =>
    users.list().map(({ email, created_at, name = '', projects }) => {
      return [email, created_at, name, projects.map(({ project_id, role }) => `${project_id} (${role})`).join(' ')]
    }),
)

export const remove = serveVerb({
  argument: ['email', 'the e-mail address of the user'],
  run({ users }, { email }, terminal) {
    if (!users.remove(email)) {
      throw new SluiceError({
        code: 'config.service',
        message: `there is no user ${email}`,
        hint: 'list them with `sluice serve user list`',
      })
    }
    sayWhole(terminal, `${email} is removed; a service that runs refuses their tokens from the next request on`, 'err')
  },
})
