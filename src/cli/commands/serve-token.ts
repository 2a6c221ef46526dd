import { printNote } from '../text/print.ts'
import { shrinking } from '../text/table.ts'
import { refuseUnknown, serveList, serveVerb, wordsIfGiven } from './serve-verb.ts'

/** Standard output has only the secret, so that it can go into a file. It is not shown again. */
export const create = serveVerb({
  argument: ['name', 'a name to revoke it by'],
  options: {
    projects: 'the ids of the projects within its reach, with commas; otherwise every project',
    user: 'the e-mail address of the user whose token it is; otherwise it is an owner wherever it reaches',
  },
  run({ tokens }, { name, projects, user }, terminal) {
    terminal.out(tokens.create(name, { user, project_ids: wordsIfGiven(projects) }).token)
    printNote(terminal, 'Keep it in a file that only you can read: it is not shown again.')
  },
})

export const list = serveList([shrinking('TOKEN'), 'CREATED', shrinking('USER'), 'PROJECTS'], ({ tokens }) =>
  tokens.list().map(({ name, created_at, user = '', project_ids }) => {
    return [name, created_at, user, project_ids?.join(' ') ?? 'every']
  }),
)

export const revoke = serveVerb({
  argument: ['name', 'the name of the token'],
  run({ tokens }, { name }, terminal) {
    refuseUnknown(tokens.revoke(name), `token called ${name}`, 'sluice serve token list')
    printNote(terminal, `${name} is revoked; a service that runs refuses it from the next request on`)
  },
})
