import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

test('with the token of a reader, sync, status and explain say whom to ask for what, and no file counts as under way', async () => {
  const tree = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`${at}.gz`, `archive ${10 + at}`]))
  const home = await Home.make(tree)
  giveReaderToken(home)
  const ask = `ask an owner of the project for the role collaborator (on a local service: \`sluice serve member add YOUR-EMAIL --project ${home.project_id} --role collaborator\`)`
  const synced = await home.sluice('sync')
  expect([synced.code, home.service.assets(home.project_id)]).toEqual([77, []])
  expect(synced.err).toContain(`yours is reader.\n  ${ask}\n`)
  expect(synced.err).not.toContain('check project_id')
  const waits = 'nothing is uploaded now; afterwards it waits for the result of the first 20 .gz files'
  expect(synced.out).toMatch(new RegExp(`25 × ${waits}`))
  const status = JSON.parse((await home.inProcess('status', '--json')).out)
  expect(status.troubles).toMatchObject([{ hint: `Sluice uploads nothing to this project: ${ask}` }])
  expect(status.retrying).toMatchObject([{ code: 'type_unproven:gz', message: expect.stringContaining(waits) }])
  const [{ path }] = status.retrying[0].examples
  const { out } = await home.inProcess('explain', `docs/${path}`)
  expect(out).toContain('yours is reader: Sluice uploads nothing to this project: ask an owner')
  expect(out).toContain(waits)
})

function giveReaderToken(home: Home): void {
  const email = 'eve@example.org'
  home.service.users.create(email)
  home.service.members.add(email, home.project_id, 'reader')
  home.giveToken(home.service.tokens.create('of eve', { user: email }).token)
}
