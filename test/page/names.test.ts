import { expect, onTestFinished, test } from 'vitest'
import { openPromptsView } from '../../src/ledger/views/view-prompts.ts'
import { makeTree } from '../rig/tree.ts'
import { until } from '../rig/waiting.ts'
import { agentOf } from './mcp/agent-rig.ts'
import { Browser } from './page-rig.ts'
import { beginSignedIn } from './signed-in.ts'

const weekly = {
  name: 'weekly',
  cron: '0 8 * * 1',
  timezone: 'UTC',
  prompt: 'Say all about the layoffs and the harbour.',
  first_run: 'all',
  wait_for_files: '20s',
}

/** `docs/note.txt` has the bytes that were uploaded first as `secret/layoffs.txt`. */
async function beginWithCopy() {
  const deliver = [{ file: { dir: makeTree() } }]
  const rig = await beginSignedIn({
    folders: { docs: {}, secret: {} },
    tree: { 'secret/layoffs.txt': 'The layoffs begin in June.' },
    config: { prompts: [{ ...weekly, scope: { folders: ['docs'] }, deliver }] },
  })
  rig.journey.write({
    'docs/note.txt': 'The layoffs begin in June.',
    'docs/plan.txt': 'The harbour opens in May.',
  })
  await rig.journey.allReady()
  const operator = await rig.as('ada')
  const view = openPromptsView(rig.config.state_dir)
  onTestFinished(() => view.close())

  async function run(): Promise<string> {
    await operator.get('/prompts/weekly/dry-run')
    const to = (await operator.post('/prompts/weekly/run')).headers.get('location')!
    const id = Number(to.split('/').at(-1))
    await until('its report', () => view.run(id)?.state === 'written')
    return to
  }

  async function answerTo(browser: Browser, question: string): Promise<string> {
    await browser.get('/ask')
    const to = (await browser.post('/ask', { question })).headers.get('location')!
    let text = ''
    await until('the answer', async () => {
      text = (await browser.get(to)).text
      return !text.includes('is reading')
    })
    return text
  }
  return { ...rig, operator, run, answerTo }
}

const question = 'When do the layoffs begin, and when does the harbour open?'

test('a file that the service has under a name of another folder stays out of answers for its readers', async () => {
  const { as, answerTo, operator, store, address } = await beginWithCopy()
  const told = await answerTo(operator, question)
  expect(told).toContain('secret/layoffs.txt')
  expect(told).not.toContain('left out')

  const answer = await answerTo(await as('eve'), question)
  expect(answer).toContain('path=plan.txt')
  expect(answer).not.toContain('secret')
  expect(answer).toContain('; 1 file left out: ')

  const { call } = await agentOf(address, store.makeToken('eve'))
  const { text, data } = await call('ask', { question })
  expect(`${text}${JSON.stringify(data)}`).not.toContain('secret')
  expect(data).toMatchObject({ asked_over: 1, left_out: 1 })
  const nothing = await call('ask', { question, path: 'note.txt' })
  expect(nothing.text).toContain('nothing was asked: no ready file matches; 1 file left out')
  expect(nothing.text).not.toContain('secret')
})

test('an answer from before, which may tell such a name, is hidden from a reader and goes on in no chat', async () => {
  const { as, store, journey } = await beginWithCopy()
  const { asset_id } = journey.assets().find(({ filename }) => filename === 'secret/layoffs.txt')!
  const insert = store.database.prepare(
    `INSERT INTO questions (user, asked_ms, wish, over, answer) VALUES ('eve', ?, ?, '["docs"]', ?)`,
  )
  const keep = (name: string, asset: string, after?: number) => {
    const wish = { question: `What says ${name}?`, folders: [], path: '', label: '', after }
    const sources = [{ name, asset_id: asset, is_named: true }]
    const answer = { chat_id: 'chat_old', answer: `${asset} says it.`, note: null, sources }
    const row = insert.run(Date.now(), JSON.stringify(wish), JSON.stringify(answer))
    return Number(row.lastInsertRowid)
  }
  const plan = journey.assets().find(({ filename }) => filename === 'docs/plan.txt')!
  const copy = keep('docs/note.txt', asset_id)
  const own = keep('docs/plan.txt', plan.asset_id)
  const later = keep('docs/plan.txt', plan.asset_id, copy)
  const eve = await as('eve')
  for (const id of [copy, later, later]) {
    const { text } = await eve.get(`/ask/${id}`)
    expect(text, String(id)).toContain('this answer is not shown to you')
    expect(text).not.toMatch(/says it|Ask on/)
  }
  expect((await eve.get(`/ask/${own}`)).text).toContain('says it')
  store.putUser({ name: 'eve', role: 'reader', folders: ['docs', 'secret'] })
  expect((await eve.get(`/ask/${copy}`)).text).toContain('says it')
})

test('the page of such a file, and agents, say that questions of some users leave it out', async () => {
  const { as, store, address } = await beginWithCopy()
  const [eve, ada] = [await as('eve'), await as('ada')]
  const left_out = 'leave this file out'
  const seen = (await eve.get('/file?folder=docs&path=note.txt')).text
  expect(seen).toContain(
    `under a name that no folder that you see gives: questions of users who see some folders only ${left_out}`,
  )
  expect(seen).not.toContain('secret')
  expect((await ada.get('/file?folder=docs&path=note.txt')).text).toContain(
    `under a name of secret: questions of users who do not see that folder ${left_out}`,
  )
  for (const own of ['/file?folder=docs&path=plan.txt', '/file?folder=secret&path=layoffs.txt'])
    expect((await ada.get(own)).text, own).not.toContain(left_out)
  const { call } = await agentOf(address, store.makeToken('eve'))
  const { text, data } = await call('why_not', { file: 'docs/note.txt' })
  expect(text).toContain(left_out)
  expect(`${text}${JSON.stringify(data)}`).not.toContain('secret')
})

test('a report over such a file is not theirs: page, feed, overview and agents', async () => {
  const { as, run, operator, store, address, journey } = await beginWithCopy()
  journey.remove('docs/note.txt')
  await journey.stage('docs/note.txt', 'gone')
  const shown = await run()
  journey.write({ 'docs/again.txt': 'The layoffs begin in June.' })
  await journey.allReady()
  const hidden = await run()
  expect((await operator.get(hidden)).text).toContain('secret/layoffs.txt')

  const reader = await as('eve')
  expect((await reader.get(shown)).status).toBe(200)
  for (const path of [hidden, `${hidden}/report.md`, `${hidden}/diff`])
    expect((await reader.get(path)).status, path).toBe(404)
  const list = (await reader.get('/prompts/weekly')).text
  expect(list).toContain('1 run not shown to you')
  const token = store.makeToken('eve')
  const feed = await new Browser(address).get('/prompts/weekly/feed.xml', {
    authorization: `Bearer ${token}`,
  })
  expect(feed.text.match(/<entry>/g)).toHaveLength(1)
  const { call } = await agentOf(address, token)
  const { text, data } = await call('last_report', { prompt: 'weekly' })
  expect(data).toMatchObject({ run: Number(shown.split('/').at(-1)), not_shown: 1 })
  const told = [list, feed.text, text, JSON.stringify(data), (await reader.get('/')).text]
  for (const each of told) expect(each).not.toContain('secret')
})
