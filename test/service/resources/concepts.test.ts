import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { capturedTerminal } from '../../cli/captured-terminal.ts'
import { start } from '../fixture.ts'

async function sluice(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = capturedTerminal()
  const code = await runCli(['serve', ...words], terminal, commands)
  return { code, out: out().trim(), err: err() }
}

test('D-10 concepts and views are made and listed by command, beside a running service', async () => {
  const client = await start()
  const { project_id } = client
  const dir = ['--data-dir', client.service.data_dir]
  const asset = await client.upload('The harbour closes at nine.', 'minutes.md')
  const concept = await sluice(
    'concept',
    'create',
    'gates',
    '--project',
    project_id,
    '--assets',
    asset,
    '--labels',
    'port, sea',
    ...dir,
  )
  expect([concept.code, concept.out]).toEqual([0, expect.stringMatching(/^concept_[a-z0-9]{20}$/)])
  const view = await sluice(
    'view',
    'create',
    'all minutes',
    '--project',
    project_id,
    '--name-pattern',
    'min*.md',
    ...dir,
  )
  expect([view.code, view.out]).toEqual([0, expect.stringMatching(/^view_[a-z0-9]{20}$/)])
  for (const scope of [{ concept_ids: [concept.out] }, { view_ids: [view.out] }]) {
    expect((await client.ask('When does the harbour close?', { scope })).response).toContain(
      'closes at nine',
    )
  }
  expect((await sluice('concept', 'list', ...dir)).out).toMatch(
    new RegExp(`${concept.out} .* 1 +gates +port, sea`),
  )
  expect((await sluice('view', 'list', ...dir)).out).toMatch(
    new RegExp(`${view.out} .*all minutes .*min\\*\\.md`),
  )
  const labels = (await client.get('/v1/labels')).body.data as { name: string }[]
  expect(labels.map(({ name }) => name)).toEqual(['port', 'sea'])
})

test('D-10 invalid commands are refused: no assets, no filter, a name in use, an unknown id', async () => {
  const client = await start()
  const { project_id, service } = client
  const dir = ['--data-dir', service.data_dir]
  const asset = await client.upload('text')
  service.concepts.create('gates', { project_id, asset_ids: [asset] })
  service.views.create('minutes', { project_id, labels: ['board'] })
  const nowhere = 'project_00000000000000000000'
  for (const [words, fault] of [
    [
      ['concept', 'create', 'gates', '--project', project_id, '--assets', asset],
      'is taken in this project',
    ],
    [
      ['concept', 'create', 'piers', '--project', project_id, '--assets', ','],
      'a concept needs at least one asset',
    ],
    [
      ['concept', 'create', 'piers', '--project', project_id, '--assets', 'asset_0'],
      'has no asset asset_0',
    ],
    [
      ['concept', 'create', 'piers', '--project', nowhere, '--assets', asset],
      `the project ${nowhere} does not exist`,
    ],
    [['concept', 'create', '', '--project', project_id, '--assets', asset], 'cannot be the name'],
    [
      ['view', 'create', 'minutes', '--project', project_id, '--labels', 'board'],
      'is taken in this project',
    ],
    [['view', 'create', 'other', '--project', project_id], 'whole project'],
    [['view', 'create', 'other', '--project', project_id, '--labels', 'x'], 'name of a label'],
    [
      ['view', 'create', 'other', '--project', project_id, '--labels', 'two\nlines'],
      'characters in one line',
    ],
  ] as const) {
    const { code, err } = await sluice(...words, ...dir)
    expect([code, err], words.join(' ')).toEqual([78, expect.stringContaining(fault)])
  }
  expect([service.concepts.list().length, service.views.list().length]).toEqual([1, 1])
})

test('D-10 a concept is changed and removed by command, and the next answer knows it', async () => {
  const client = await start()
  const { project_id, service } = client
  const dir = ['--data-dir', service.data_dir]
  const nine = await client.upload('The harbour closes at nine.', 'nine.md')
  const ten = await client.upload('The harbour closes at ten.', 'ten.md')
  const { concept_id } = service.concepts.create('gates', {
    project_id,
    asset_ids: [nine],
    labels: ['sea'],
  })
  service.concepts.create('piers', { project_id, asset_ids: [nine] })
  const ask = async () => {
    const { response } = await client.ask('When does the harbour close?', {
      scope: { concept_ids: [concept_id] },
    })
    return ['at nine', 'at ten'].map((time) => response.includes(time))
  }
  const change = (...words: string[]) => sluice('concept', 'change', concept_id, ...words, ...dir)
  const listed = () => service.concepts.list().find((row) => row.concept_id === concept_id)
  expect(await ask()).toEqual([true, false])
  expect((await change('--name', 'doors')).code).toBe(0)
  expect(listed()).toMatchObject({ name: 'doors', assets: 1, labels: ['sea'] })
  expect((await change('--assets', ten, '--labels', '')).code).toBe(0)
  expect([listed(), await ask()]).toMatchObject([
    { name: 'doors', assets: 1, labels: [] },
    [false, true],
  ])
  for (const [words, fault] of [
    [['--name', 'piers'], 'is taken in this project'],
    [['--assets', ','], 'a concept needs at least one asset'],
    [['--assets', `${nine},asset_0`], 'has no asset asset_0'],
    [['--labels', 'x'], 'name of a label'],
  ] as const) {
    const { code, err } = await change(...words)
    expect([code, err], words.join(' ')).toEqual([78, expect.stringContaining(fault)])
  }
  expect([listed()?.assets, await ask()]).toEqual([1, [false, true]])

  expect((await sluice('concept', 'remove', concept_id, ...dir)).code).toBe(0)
  const refused = await client.post('/v1/chats', {
    prompt: 'x',
    scope: { concept_ids: [concept_id] },
  })
  expect(refused.status).toBe(404)
  for (const verb of ['change', 'remove']) {
    const { code, err } = await sluice('concept', verb, concept_id, ...dir)
    expect([code, err]).toEqual([
      78,
      expect.stringContaining(`the concept ${concept_id} does not exist`),
    ])
  }
  expect(client.statusOf(ten)).toBe('ready')
})

test('D-10 a view is changed and removed by command', async () => {
  const client = await start()
  const { project_id, service } = client
  const dir = ['--data-dir', service.data_dir]
  await client.upload('The harbour closes at nine.', 'nine.md')
  const ten = await client.upload('The harbour closes at ten.', 'ten.md')
  await client.post(`/v1/assets/${ten}/labels`, { label_name: 'board' })
  const { view_id } = service.views.create('times', { project_id, name_pattern: 'nine*' })
  service.views.create('other', { project_id, name_pattern: '*' })
  const change = (...words: string[]) => sluice('view', 'change', view_id, ...words, ...dir)
  const ask = async () => {
    const { response } = await client.ask('When does the harbour close?', {
      scope: { view_ids: [view_id] },
    })
    return ['at nine', 'at ten'].map((time) => response.includes(time))
  }
  expect(await ask()).toEqual([true, false])
  expect((await change('--labels', 'board')).code).toBe(0)
  expect(await ask()).toEqual([false, false])
  expect((await change('--name', 'the board', '--name-pattern', '')).code).toBe(0)
  expect(await ask()).toEqual([false, true])
  for (const [words, fault] of [
    [['--labels', ''], 'whole project'],
    [['--name', 'other'], 'is taken in this project'],
  ] as const) {
    const { code, err } = await change(...words)
    expect([code, err], words.join(' ')).toEqual([78, expect.stringContaining(fault)])
  }
  const [row] = service.views.list()
  expect(row).toMatchObject({ name: 'the board', labels: ['board'] })
  expect((await sluice('view', 'remove', view_id, ...dir)).code).toBe(0)
  expect(
    (await client.post('/v1/chats', { prompt: 'x', scope: { view_ids: [view_id] } })).status,
  ).toBe(404)
  expect((await sluice('view', 'remove', view_id, ...dir)).code).toBe(78)
})
