import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Home, untilAnswer } from '../sluice.ts'
import { type Schema, schemas, undescribed } from './described-json.ts'

/** The commands of the page, with the name of their schema. The tests run each of them. */
const commands = [
  'status',
  'ls',
  'plan',
  'explain',
  'verify',
  'sync',
  'prompts-history',
  'prompts-show',
]
const pictures = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, at) => [
      `${from + at}.png`,
      `\u0089PNG\r\n\0${from + at}`,
    ]),
  )

let home: Home
/** The answers so far, by command. */
const seen = new Map<string, unknown[]>()

beforeAll(async () => {
  home = await Home.of({ onTestFinished: () => {} }, {})
})
afterAll(() => home.close())

/** Runs the command, checks its output against the page, and returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the page says what it has
async function answerOf(...words: string[]): Promise<any> {
  const { out, err } = await home.inProcess(...words, '--json')
  expect(out, err).not.toBe('')
  const answer = JSON.parse(out)
  const name = words[0] === 'prompts' ? `prompts-${words[1]}` : words[0]!
  expect(undescribed(name, answer)).toEqual([])
  seen.set(name, [...(seen.get(name) ?? []), answer])
  return answer
}

function configure(folder: object, more: { folders?: object[]; uploads?: object } = {}): void {
  const schedule = { cron: '0 8 * * 1', timezone: 'Europe/Berlin' }
  const deliver = [
    { command: { run: ['/bin/false'] } },
    { command: { run: ['/bin/cat'] } },
    { file: { dir: join(home.path, 'out') } },
  ]
  const prompts = [
    {
      name: 'digest',
      ...schedule,
      prompt: 'what is new?',
      first_run: 'all',
      scope: { folders: ['docs'] },
      deliver,
    },
  ]
  home.configure({ folder, prompts, ...more })
}

test('before the first scan', async () => {
  configure({ labels: ['legal'] })
  expect(await answerOf('status')).toMatchObject({
    verdict: 'incomplete',
    folders: [{ state: 'new' }],
  })
  expect(await answerOf('ls')).toMatchObject({ files: [] })
  expect(await answerOf('explain', 'docs/none.txt')).toMatchObject({
    state: 'unknown',
    times: null,
  })
  expect(await answerOf('plan')).toMatchObject({ knows_ledger: false })
  expect(await answerOf('prompts', 'history', 'digest')).toMatchObject({ runs: [] })
})

test('all files are ready', async () => {
  home.write({
    'a.txt': 'one',
    'contracts/b.txt': 'two',
    'contracts/copy.txt': 'two',
    'x.bak': 'x',
    '.sluiceignore': '*.bak\n',
  })
  symlinkSync('a.txt', join(home.path, 'docs/link'))
  mkdirSync(join(home.path, 'docs/closed'), { mode: 0o700 })
  expect(await answerOf('plan', '--hash')).toMatchObject({
    hashed: true,
    would_upload: { files: 2 },
  })
  expect(await answerOf('sync')).toMatchObject({
    complete: true,
    new: { files: 3, uploaded: { files: 2 } },
  })
  expect(await answerOf('status')).toMatchObject({
    verdict: 'all_ready',
    health: { state: 'unknown' },
  })
  expect((await answerOf('ls')).files).toHaveLength(3)
  expect(await answerOf('explain', 'docs/contracts/b.txt')).toMatchObject({
    state: 'ready',
    same_bytes: [{}],
    label_settings: [{ setting: 'labels' }],
  })
  expect(await answerOf('explain', 'docs/x.bak')).toMatchObject({ state: 'ignored' })
  expect(await answerOf('explain', 'docs/link')).toMatchObject({ state: 'special' })
  expect(await answerOf('plan')).toMatchObject({ would_upload: { files: 0 } })
  expect(await answerOf('verify', '--full')).toMatchObject({ complete: true, found: [] })
})

test('a run of a prompt, with a delivery that fails and one that arrives', async () => {
  // The report is written, and one receiver does not take it.
  expect((await home.inProcess('prompts', 'run', 'digest')).code).toBe(3)
  const { runs } = await answerOf('prompts', 'history', 'digest')
  expect(runs).toMatchObject([{ state: 'written', cause: 'user' }])
  const run = await answerOf('prompts', 'show', String(runs[0].run))
  expect(run).toMatchObject({
    covered: [{}, {}],
    turns: [{}],
    deliveries: [{ state: 'wanted' }, { state: 'done' }],
  })
  expect(await answerOf('status')).toMatchObject({ prompts: [{ last_run: { run: runs[0].run } }] })
})

test('refused files, a refused type, skipped and held files, removals, an offline folder', async () => {
  home.write(pictures(0, 20))
  home.write({ 'empty.txt': '' })
  expect((await home.inProcess('sync')).code).toBe(3)
  expect(await answerOf('explain', 'docs/0.png')).toMatchObject({
    state: 'refused',
    last_error: {},
  })
  expect(await answerOf('explain', 'docs/empty.txt')).toMatchObject({ state: 'skipped' })
  home.write({
    ...pictures(20, 22),
    'more/c.txt': 'three',
    'more/d.txt': 'four',
    'later/e.txt': 'five',
  })
  rmSync(join(home.path, 'docs/a.txt'))
  const away = { name: 'away', path: join(home.path, 'away') }
  mkdirSync(away.path)
  configure(
    { on_delete: 'remove', delete_grace_ms: '1h' },
    {
      folders: [away],
      uploads: { limit: { files: 24 }, max_bytes_per_day: '1MB', bandwidth: '10MB/s' },
    },
  )
  expect((await home.inProcess('sync')).code).toBe(3)
  renameSync(away.path, join(home.path, 'elsewhere'))
  const synced = await answerOf('sync')
  expect(synced).toMatchObject({
    complete: false,
    folders: [{}, { state: 'offline' }],
    fault: null,
  })
  expect(synced.over_limit_places).not.toEqual([])

  const status = await answerOf('status')
  expect(status).toMatchObject({
    folders: [{ state: 'online' }, { state: 'offline' }],
    removals: { waiting: [{ why: 'grace' }] },
  })
  expect(status.problems.map(({ stage }: { stage: string }) => stage)).toEqual([
    'refused',
    'blocked',
  ])
  expect(status.over_limit.places).not.toEqual([])
  const states = new Set(
    (await answerOf('ls', '--state', 'ready,refused,blocked,skipped,gone')).files.map(
      (file: Schema) => file.state,
    ),
  )
  expect(states).toEqual(new Set(['ready', 'refused', 'blocked', 'skipped', 'gone']))
  expect(await answerOf('explain', 'docs/21.png')).toMatchObject({ state: 'blocked' })
  const plan = await answerOf('plan')
  expect(plan.folders).toMatchObject([
    { removals: { waits: [{ why: 'grace' }] } },
    { offline: expect.any(String), seen: null },
  ])
  const reasons = plan.folders[0].stays.map(({ reason }: { reason: string }) => reason)
  expect(reasons).toEqual(
    expect.arrayContaining(['refused', 'type_refused', 'empty', 'upload_limit']),
  )
})

test('differences of all sides, and a service that does not answer', async () => {
  home.write({ 'contracts/b.txt': 'changed', 'new.txt': 'new' })
  const [asset] = home.service.assets(home.project_id)
  expect(asset).toBeDefined()
  const { found, differences } = await answerOf('verify')
  expect(differences).toMatchObject({ changed_on_disk: 1, unknown_on_disk: 1 })
  expect(found.length).toBeGreaterThan(1)
  configure({})
  home.giveToken(`pat_${'x'.repeat(32)}`)
  expect(await answerOf('verify')).toMatchObject({
    complete: false,
    projects: [{ fault: { code: expect.any(String) } }],
  })
  expect(await answerOf('sync')).toMatchObject({
    complete: false,
    fault: { code: expect.any(String) },
  })
  expect(await answerOf('status')).toMatchObject({
    verdict: 'refused',
    troubles: [{ about: 'account' }],
  })
  home.giveToken()
})

test('a running daemon, and a pause', async () => {
  await home.run()
  const status = () => answerOf('status')
  await untilAnswer('it watches', status, ({ folders }) => folders[0].watching !== null)
  expect((await home.inProcess('pause', '--for', '1h', '--why', 'the line is slow')).code).toBe(0)
  expect(await answerOf('status')).toMatchObject({
    daemon: { state: 'running' },
    pause: { until: expect.any(String) },
  })
})

test('each command was run, and every field that the page does not know is refused', () => {
  expect([...seen.keys()].sort()).toEqual(commands.toSorted())
  expect([...schemas.keys()].sort()).toEqual(
    [...commands.map((name) => `${name}.json`), 'shared.json'].sort(),
  )
  for (const [name, answers] of seen) {
    for (const object of answers.flatMap(objectsIn)) {
      object.not_on_the_page = 1
      expect(
        answers.some((answer) => undescribed(name, answer).length > 0),
        `${name}: ${Object.keys(object)}`,
      ).toBe(true)
      delete object.not_on_the_page
    }
  }
})

test('each object of a schema is closed, requires all of its fields, and describes them', () => {
  for (const [name, schema] of schemas) {
    for (const object of objectsIn(schema).filter(({ properties }) => properties !== undefined)) {
      const fields = Object.entries<Schema>(object.properties)
      expect([object.additionalProperties, [...object.required].sort()], name).toEqual([
        false,
        fields.map(([field]) => field).sort(),
      ])
      for (const [field, { description }] of fields)
        expect(description, `${name}: ${field}`).toMatch(/^[\w`–].*\.$/s)
    }
  }
})

function objectsIn(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inside : [value as Schema, ...inside]
}
