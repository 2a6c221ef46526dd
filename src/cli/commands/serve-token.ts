import { SluiceError } from '../../base/run/errors.ts'
import { sayWhole } from '../text/say-whole.ts'
import { serveList, serveVerb } from './serve-verb.ts'

/** Standard output gets the secret alone, so that it can go into a file; it cannot be shown again. */
export const create = serveVerb({
  argument: ['name', 'a name to revoke it by'],
  options: {
    projects: 'the ids of the projects within its reach, with commas; otherwise every project',
    user: 'the e-mail address of the user whose token it is; otherwise it is an owner wherever it reaches',
  },
  run({ tokens }, { name, projects, user }, terminal) {
    const project_ids = projects?.split(',').map((id) => id.trim())
    terminal.out(tokens.create(name, { user, project_ids }).token)
    sayWhole(terminal, 'Keep it in a file that only you can read: it is not shown again.', 'err')
  },
})

export const list = serveList(
  [{ title: 'TOKEN', shrinks: true }, { title: 'CREATED' }, { title: 'USER', shrinks: true }, { title: 'PROJECTS' }],
  ({ tokens }) =>
    tokens.list().map(({ name, created_at, user = '', project_ids }) => {
      return [name, created_at, user, project_ids?.join(' ') ?? 'every']
    }),
)

export const revoke = serveVerb({
  argument: ['name', 'the name of the token'],
  run({ tokens }, { name }, terminal) {
    if (!tokens.revoke(name)) {
      throw new SluiceError({
        code: 'config.service',
        message: `there is no token called ${name}`,
        hint: 'list them with `sluice serve token list`',
      })
    }
    sayWhole(terminal, `${name} is revoked; a service that runs refuses it from the next request on`, 'err')
  },
})
