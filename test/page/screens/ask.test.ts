import { expect, test } from 'vitest'
import { md5Of } from '../../journeys/rig/disk-truth.ts'
import { until } from '../../rig/waiting.ts'
import { agentOf } from '../mcp/agent-rig.ts'
import { addUser, Browser, beginPage } from '../page-rig.ts'

const folders = { docs: {}, secret: {} }
const tree = { 'docs/plan.txt': 'The harvest is in May.', 'secret/pay.txt': 'The pay is high.' }

async function asked(browser: Browser, path: string): Promise<string> {
  let text = ''
  await until('the answer', async () => {
    text = (await browser.get(path)).text
    return !text.includes('is reading')
  })
  return text
}

test('a question of a reader is about their folders alone; the answer links to its sources', async () => {
  const { store, address, journey } = await beginPage({ folders, tree })
  await addUser(store, {
    name: 'ada',
    role: 'reader',
    folders: ['docs'],
    password: 'correct horse',
  })
  const browser = new Browser(address)
  await browser.signIn('ada', 'correct horse')
  expect((await browser.get('/ask')).text).not.toContain('secret')
  const sent = await browser.post('/ask', { question: 'When is the harvest?' })
  expect(sent.status).toBe(303)
  const begun = (await browser.get(sent.headers.get('location')!)).text
  // Without script nothing loads it again.
  expect(begun).toMatch(/As of <span id="as-of"><time[^>]*>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  if (begun.includes('is reading')) expect(begun).toMatch(/is reading, for [\d.]+ s now/)
  if (begun.includes('is reading'))
    expect(begun).toContain('<noscript> · <a href="/ask/1">Load again</a></noscript>')
  const text = await asked(browser, sent.headers.get('location')!)
  expect(text).toContain('<a href="/file?folder=docs&amp;path=plan.txt">')
  expect(text).not.toContain('pay.txt')
  expect(text).toContain('Asked about 1 file: 1 read in part; 1 named in the answer.')
  expect(text).toMatch(/Files that the answer names<\/h2><ul><li>.*<\/a>: read in part<\/li>/)
  const [chat] = journey.service.chats(journey.project_id)
  const [plan] = journey.assets().filter(({ filename }) => filename === 'docs/plan.txt')
  expect(chat?.messages[0]?.scope).toEqual({ asset_ids: [plan?.asset_id] })

  store.putUser({ name: 'ada', role: 'reader', folders: [] })
  expect(
    (await browser.get(sent.headers.get('location')!)).status,
    'after the folder was taken away',
  ).toBe(404)
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  await browser.get('/ask')
  expect(
    (await browser.post('/ask', { question: 'What is the pay?', folder: 'secret' })).status,
  ).toBe(404)
  expect((await browser.post('/ask', { question: 'x', label: 'any' })).status).toBe(400)
  expect((await browser.post('/ask', { question: ' ' })).status).toBe(400)
})

test('a follow-up goes on in the chat; nobody reads the question of another', async () => {
  const { store, address } = await beginPage({ folders, tree })
  const browser = new Browser(address)
  await browser.useLink(store)
  const ended = await new Browser(address).post('/ask', { question: 'When <is> it?' })
  expect(ended.text).toContain('name="next" value="/ask?question=When+%3Cis%3E+it%3F"')
  expect((await browser.get('/ask?question=When+%3Cis%3E+it%3F')).text).toContain(
    '>When &lt;is&gt; it?</textarea>',
  )
  const first = (
    await browser.post('/ask', { question: 'When is the harvest?', since: '__proto__' })
  ).headers.get('location')!
  await asked(browser, first)
  const second = await browser.post('/ask', {
    question: 'And the pay?',
    after: first.split('/').at(-1)!,
  })
  await asked(browser, second.headers.get('location')!)
  const chats = store.database
    .prepare(`SELECT DISTINCT json_extract(answer, '$.chat_id') FROM questions`)
    .all()
  expect(chats).toHaveLength(1)

  await addUser(store, { name: 'eve', role: 'operator', folders: 'all', password: 'correct horse' })
  const other = new Browser(address)
  await other.signIn('eve', 'correct horse')
  expect((await other.get(first)).status).toBe(404)
})

test('a deleted file that the answer names is said to be deleted on disk', async () => {
  const labelled = { docs: { labels: ['harvest'] }, secret: {} }
  const { store, address, journey } = await beginPage({ folders: labelled, tree })
  await journey.idle()
  journey.ends({ also_there: [md5Of(tree['docs/plan.txt'])] })
  journey.remove('docs/plan.txt')
  await journey.stage('docs/plan.txt', 'gone')
  const browser = new Browser(address)
  await browser.useLink(store)
  await browser.get('/ask')
  const question = { question: 'When is the harvest?', label: 'harvest' }
  const sent = await browser.post('/ask', question)
  const text = await asked(browser, sent.headers.get('location')!)
  expect(text).toContain('The harvest is in May.')
  expect(text).toMatch(
    /<h2>Deleted files that the answer names<\/h2><ul><li><a href="\/file\?folder=docs&amp;path=plan.txt">.*<\/a> \(deleted on disk\): read in part<\/li>/,
  )
  store.putUser({ name: 'boss', role: 'operator', folders: 'all' })
  const agent = await agentOf(address, store.makeToken('boss'))
  expect(await agent.call('ask', question)).toMatchObject({
    text: expect.stringMatching(
      /Files that it names: docs\/plan\.txt \(deleted on disk\): read in part$/,
    ),
    data: { asked_over: 0, sources: [{ name: 'docs/plan.txt', is_deleted: true }] },
  })
})

test('C-14 C-23 a turn with an error is no answer; what is known of an answer stands below it', async () => {
  const { store, address, journey } = await beginPage({ folders, tree })
  const browser = new Browser(address)
  await browser.useLink(store)
  await browser.get('/ask')
  const ask = async () => {
    const sent = await browser.post('/ask', { question: 'When is the harvest?' })
    return sent.headers.get('location')!
  }
  journey.service.injectFaults({ turn_shows: { status: 'error', response: 'In <May>?' } })
  const failed = await asked(browser, await ask())
  expect(failed).toContain('ended the question with an error')
  expect(failed).toContain('it said: In &lt;May&gt;?')
  expect(failed).not.toContain('<article>')

  journey.service.injectFaults({ turn_shows: { status: 'done', response: 'In May.' } })
  const answered = await ask()
  expect(await asked(browser, answered)).not.toContain('Note:')
  const note = 'it did not <change>'
  store.database
    .prepare(`UPDATE questions SET answer = json_set(answer, '$.note', ?) WHERE answer IS NOT NULL`)
    .run(note)
  expect((await browser.get(answered)).text).toContain('Note: it did not &lt;change&gt;')
})

test('readers ask as often as the configuration allows', async () => {
  const { store, address } = await beginPage({ folders, tree, page: { readers_ask: 1 } })
  await addUser(store, { name: 'ada', role: 'reader', folders: 'all', password: 'correct horse' })
  const browser = new Browser(address)
  await browser.signIn('ada', 'correct horse')
  await browser.get('/ask')
  const first = await browser.post('/ask', { question: 'When is the harvest?' })
  await asked(browser, first.headers.get('location')!)
  const second = await browser.post('/ask', { question: 'When is the harvest?' })
  expect(second.status).toBe(429)
  expect(second.text).toContain(
    'You have asked 1 question in the last hour, and no more are allowed',
  )
})

test('to a reader a fault names no host; to an operator it does', async () => {
  const { store, address, journey } = await beginPage({ folders, tree })
  const { api } = journey.service
  await addUser(store, {
    name: 'ada',
    role: 'reader',
    folders: ['docs'],
    password: 'correct horse',
  })
  const [reader, operator] = [new Browser(address), new Browser(address)]
  await reader.signIn('ada', 'correct horse')
  await operator.useLink(store)
  await journey.service.close()
  const faultFor = async (browser: Browser) => {
    await browser.get('/ask')
    return asked(
      browser,
      (await browser.post('/ask', { question: 'When?' })).headers.get('location')!,
    )
  }
  const [told, whole] = [await faultFor(reader), await faultFor(operator)]
  await journey.restartService({})
  expect(whole).toContain(new URL(api).host)
  expect(told).toContain('the service could not be reached')
  expect(told.match(/role="alert">([^<]*)/)![1]).not.toContain('127.0.0.1')
})
