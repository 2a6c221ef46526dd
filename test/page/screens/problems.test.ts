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
