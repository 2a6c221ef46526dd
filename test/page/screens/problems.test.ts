import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDaemon } from '../../../src/page/reads/with-daemon.ts'
import { beginSignedIn, press } from '../signed-in.ts'

const small = { ingest: { max_bytes: 1_000 } }

/** Files of one type that are too large for the service, each with its own bytes. */
function logs(from: number, to: number, folder = 'docs'): Record<string, string> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index)
  return Object.fromEntries(
    numbers.map((number) => [
      `${folder}/${number}.log`,
      `${folder} ${number} ${'x'.repeat(2_000)}`,
    ]),
  )
}

test('an operator tries all files of a group again; a reader sees those of its folders, without buttons', async () => {
  const { journey, as } = await beginSignedIn({ folders: { docs: {}, secret: {} }, service: small })
  journey.write({ ...logs(0, 3), ...logs(0, 2, 'secret') })
  await journey.until(
    'all are refused',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 5,
  )
  const reader = (await (await as('eve')).get('/problems')).text
  expect(reader).toContain('3 files')
  expect(reader).not.toMatch(/secret|<button>Retry|exclude:/)
  const ada = await as('ada')
  const etag = (await ada.get('/problems')).headers.get('etag')!
  expect(
    (await ada.get('/problems', { 'if-none-match': etag })).status,
    'with other tokens in its forms',
  ).toBe(304)
  const { puts } = journey.cost()
  expect(await press(ada, '/problems', 'Retry these 5')).toEqual({ status: 303, to: '/problems' })
  await journey.until('all were sent again', () => journey.cost().puts === puts + 5)
  await journey.idle()
  journey.ends({ left_out: [...Object.keys(logs(0, 3)), ...Object.keys(logs(0, 2, 'secret'))] })
})

test('an operator uploads a type that is held back', async () => {
  const { journey, as } = await beginSignedIn({ service: small })
  journey.write(logs(0, 20))
  await journey.until(
    '20 are refused',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 20,
  )
  journey.write(logs(20, 23))
  await journey.until(
    '3 are held',
    () => journey.files().filter(({ stage }) => stage === 'type_refused').length === 3,
  )
  const browser = await as('ada')
  await press(browser, '/problems', 'Upload them all the same')
  expect((await browser.get('/problems')).text).toContain('all files of the type *.log')
  await journey.until(
    'all were sent',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 23,
  )
  journey.ends({ left_out: Object.keys(logs(0, 23)) })
})

test('an operator uploads a directory that the upload limit holds; a whole folder only by a command', async () => {
  const many = (place: string) =>
    Object.fromEntries(['a', 'b', 'c'].map((name) => [`docs/${place}${name}.txt`, place + name]))
  const { journey, as } = await beginSignedIn({
    config: { uploads: { limit: { files: 1, bytes: 1_000_000_000 } } },
  })
  journey.write({ ...many('in/'), ...many('') })
  await journey.until(
    '6 are held',
    () => journey.files().filter(({ stage }) => stage === 'blocked upload_limit').length === 6,
  )
  const browser = await as('ada')
  expect((await browser.get('/problems')).text).toContain('<code>sluice accept docs</code>')
  await press(browser, '/problems', 'Upload them')
  await journey.until(
    '3 are in',
    () => journey.files().filter(({ stage }) => stage === 'ready').length === 4,
  )
  for (const path of ['', '!*.txt']) {
    const other = await browser.post('/accept', { folder: 'docs', path, back: '/problems' })
    expect(other.status, path).toBe(404)
  }
  journey.ends({ left_out: Object.keys(many('')) })
})

test.each([
  ['/retry', { folder: 'docs', path: 'plan.txt' }],
  ['/retry', { folder: 'docs', path: 'nothing.txt' }],
  ['/accept', { folder: 'docs', path: 'plan.txt' }],
  ['/accept', { folder: 'docs', path: '*.log' }],
  ['/group', { stage: 'refused', code: 'ingest_failed' }],
  ['/group', { stage: 'ready', code: 'ready' }],
  ['/group', { stage: 'blocked', code: 'type_refused:log' }],
] as const)('%s with %j says that nothing waits for it', async (action, fields) => {
  const { as } = await beginSignedIn()
  const browser = await as('ada')
  await browser.get('/problems')
  expect((await browser.post(action, { ...fields, back: '/problems' })).status).toBe(303)
  const { text } = await browser.get('/problems')
  expect(text).toContain('Nothing waits for this, so nothing was changed.')
  expect(text).not.toMatch(/Sluice (tries|uploads)/)
})

test('a retry while Sluice is paused says that it follows after the pause', async () => {
  const { journey, config, as } = await beginSignedIn({ service: small })
  journey.write(logs(0, 1))
  await journey.stage('docs/0.log', 'refused')
  const browser = await as('ada')
  await withDaemon({ config }, (daemon) => daemon.pause({ by: 'a test' }))
  await press(browser, '/problems', 'Retry')
  expect((await browser.get('/problems')).text).toContain(
    'Sluice tries docs/0.log again. It is paused now',
  )
  await withDaemon({ config }, (daemon) => daemon.resume())
  await journey.idle()
  journey.ends({ left_out: ['docs/0.log'] })
})

test('the button of a group tries this group alone, and its number is what it tries', async () => {
  const { journey, as } = await beginSignedIn({ service: small })
  journey.write({
    ...logs(0, 3),
    'docs/broken.pdf': '%PDF-1.4 broken',
    'docs/other.pdf': '%PDF-1.4 also broken',
    'docs/odd.docx': 'PK\u0003\u0004 cut off',
  })
  await journey.until(
    'all are refused',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 6,
  )
  const ada = await as('ada')
  const { text } = await ada.get('/problems')
  const groups = text.split('<h2>').slice(1)
  for (const group of groups) {
    const files = Number(/^(\d+) files?/.exec(group)![1])
    const button = />Retry these (\d+)<\/button>/.exec(group)?.[1]
    expect(button, group).toBe(files > 1 ? String(files) : undefined)
  }
  expect(groups.map((group) => Number(/^\d+/.exec(group)![0])).sort()).toEqual([1, 2, 3])
  const { puts } = journey.cost()
  await press(ada, '/problems', 'Retry these 2')
  expect((await ada.get('/problems')).text).toContain('Sluice tries 2 files again.')
  await journey.until('they were sent again', () => journey.cost().puts === puts + 2)
  await journey.idle()
  expect(journey.cost().puts).toBe(puts + 2)
  journey.ends({
    left_out: [...Object.keys(logs(0, 3)), 'docs/broken.pdf', 'docs/other.pdf', 'docs/odd.docx'],
  })
})

test('the type of a damaged file is not to be excluded while others of it are ready; an unread type is', async () => {
  const tree = { 'docs/plan.txt': 'the plan', 'docs/1.md': 'one', 'docs/2.md': 'two' }
  const { journey, as } = await beginSignedIn({ service: small, tree })
  const damaged = ['a', 'b', 'c', 'd'].map((name) => [`docs/${name}.md`, name.repeat(2_000)])
  journey.write({ ...Object.fromEntries(damaged), ...logs(0, 2), 'docs/odd.pdf': '%PDF-1.4 x' })
  await journey.until(
    'all are refused',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 7,
  )
  const ada = await as('ada')
  const before = (await ada.get('/problems')).text
  expect(before).not.toContain('exclude:')
  expect(before).toContain('<code>.sluiceignore</code> of its folder:<br><code>/')
  journey.write(logs(2, 20))
  await journey.until(
    'all are refused',
    () => journey.files().filter(({ stage }) => stage === 'refused').length === 25,
  )
  journey.write(logs(20, 22))
  await journey.until(
    'two are held',
    () => journey.files().filter(({ stage }) => stage === 'type_refused').length === 2,
  )
  const after = (await ada.get('/problems')).text
  const types = [...after.matchAll(/<code>exclude: (.*?)<\/code>/g)].map(([, type]) => type)
  expect([...new Set(types)]).toEqual(['[&quot;*.[lL][oO][gG]&quot;]'])
  journey.ends({
    left_out: [...damaged.map(([name]) => name!), ...Object.keys(logs(0, 22)), 'docs/odd.pdf'],
  })
})

test('names that are not UTF-8 and whole folders that are offline are on the screen, each with its page', async () => {
  const { journey, as } = await beginSignedIn({ folders: { docs: {}, more: {} } })
  execFileSync('bash', ['-c', `printf x > "$1/$(printf 'na\\xffme.txt')"`, '', journey.at('docs')])
  await journey.daemon.rescan('docs')
  await journey.idle()
  const eve = await as('eve')
  const { text } = await eve.get('/problems')
  expect(text).toContain(
    '<h2>1 in <bdi>docs</bdi>: cannot be uploaded, because the names are not UTF-8',
  )
  const link = /href="(\/file\?folder=docs&amp;path=na[^"]*)"/.exec(text)![1]!
  expect((await eve.get(link.replace('&amp;', '&'))).text).toContain('Name not in UTF-8')
  renameSync(journey.at('more'), journey.at('away'))
  await journey.until('it is offline', () => journey.folder('more')!.offline_reason !== null)
  expect((await (await as('ada')).get('/problems')).text).toContain('; more is offline')
  expect((await eve.get('/problems')).text).not.toContain('more')
})
