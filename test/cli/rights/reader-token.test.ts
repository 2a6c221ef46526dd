import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

test('with the token of a reader, sync, status and explain say whom to ask for what, and no file counts as under way', async () => {
  const tree = Object.fromEntries(
    Array.from({ length: 45 }, (_, at) => [`${at}.gz`, `archive ${10 + at}`]),
  )
  const home = await Home.make(tree)
  giveReaderToken(home)
  const ask = `ask an owner of the project for the role collaborator (on a local service: \`sluice serve member add YOUR-EMAIL --project ${home.project_id} --role collaborator\`)`
  const synced = await home.sluice('sync')
  expect([synced.code, home.service.assets(home.project_id)]).toEqual([77, []])
  expect(synced.err).toContain(`yours is reader\n  ${ask}\n`)
  expect(synced.err).not.toContain('check project_id')
  expect(synced.out).not.toContain('× it waits')
  const status = JSON.parse((await home.inProcess('status', '--json')).out)
  expect(status.troubles).toMatchObject([
    { hint: `Sluice uploads nothing to this project: ${ask}` },
  ])
  const shown = (await home.inProcess('status')).out
  expect(shown.split('Sluice uploads nothing to this project')).toHaveLength(2)
  expect(shown).toContain(`project ${home.project_id}: `)
  const { out } = await home.inProcess('explain', 'docs/0.gz')
  expect(out).toContain('yours is reader: Sluice uploads nothing to this project: ask an owner')
  expect(out).not.toContain('\n    it waits')
})

test('doctor and init say beforehand that the token may not upload; a project of prompts alone needs no more', async () => {
  const home = await Home.make({ 'a.txt': 'a' })
  giveReaderToken(home)
  const { project_id } = home
  const may_not =
    'the token has the role reader in the project: it may read and ask, and not upload'
  const { code, out } = await home.inProcess('doctor', '--json')
  expect(code).toBe(77)
  const projectOf = (text: string) =>
    JSON.parse(text).checks.filter(({ id }: { id: string }) => id === 'project')
  const hint = expect.stringMatching(`^ask an owner .* --project ${project_id} --role collaborator`)
  expect(projectOf(out)).toEqual([
    { id: 'project', level: 'fault', about: project_id, message: may_not, hint },
  ])

  const flags = [
    '--base-url',
    home.service.api,
    '--token-file',
    join(home.path, 'token'),
    '--project',
    project_id,
  ]
  const made = await home.sluice(
    'init',
    ...flags,
    '--folder',
    'docs=docs',
    '--yes',
    '--config',
    'made.yaml',
  )
  expect([made.code, made.err]).toEqual([
    0,
    expect.stringContaining(`${may_not}; ask an owner of the project`),
  ])

  const schedule = { cron: '0 8 * * 1', timezone: 'Europe/Berlin', prompt: 'what is new?' }
  const deliver = [{ file: { dir: join(home.path, 'out') } }]
  const other = home.service.projects.create('other').project_id
  home.service.members.add(email, other, 'collaborator')
  home.configure({
    folder: { project_id: other },
    prompts: [{ name: 'digest', project_id, ...schedule, scope: { labels: ['legal'] }, deliver }],
  })
  expect(projectOf((await home.inProcess('doctor', '--json')).out)).toMatchObject([
    { level: 'ok' },
    { level: 'ok' },
  ])
})

const email = 'eve@example.org'

function giveReaderToken(home: Home): void {
  home.service.users.create(email)
  home.service.members.add(email, home.project_id, 'reader')
  home.giveToken(home.service.tokens.create('of eve', { user: email }).token)
}
