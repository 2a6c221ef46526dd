import sax from 'sax'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import type { Config } from '../../../src/config/config.ts'
import { openLedgerFile } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import { openPromptsView } from '../../../src/ledger/views/view-prompts.ts'
import { openPage } from '../../../src/page/open-page.ts'
import { startServer } from '../../remote/recording-server.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { addUser, Browser, beginPage } from '../page-rig.ts'

const prompt = {
  cron: '0 8 * * 1',
  timezone: 'Europe/Berlin',
  prompt: 'Say <all> about the harbour and the bridge.',
  first_run: 'all',
  wait_for_files: '20s',
}

async function beginReports(deliver: object[] = []) {
  const reports = makeTree()
  const file = { file: { dir: reports } }
  const rig = await beginPage({
    folders: { docs: {}, legal: {} },
    tree: {
      'docs/plan & co.md': 'The harbour opens in May.',
      'legal/b.md': 'The contract ends in June.',
    },
    config: {
      prompts: [
        { ...prompt, name: 'weekly', scope: { folders: ['docs'] }, deliver: [file, ...deliver] },
        { ...prompt, name: 'both', scope: { folders: ['docs', 'legal'] }, deliver: [file] },
        {
          ...prompt,
          name: 'labelled',
          scope: { folders: ['docs'], labels: ['any'] },
          deliver: [file],
        },
      ],
    },
  })
  await addUser(rig.store, {
    name: 'ada',
    role: 'reader',
    folders: ['docs'],
    password: 'correct horse',
  })
  await addUser(rig.store, {
    name: 'eve',
    role: 'reader',
    folders: 'all',
    password: 'correct horse',
  })
  const operator = new Browser(rig.address)
  await operator.useLink(rig.store)
  const view = openPromptsView(rig.config.state_dir)
  onTestFinished(() => view.close())

  /** Runs a prompt by its dry run, and waits for the report. Returns the path of the run. */
  async function run(name: string): Promise<string> {
    await operator.get(`/prompts/${name}/dry-run`)
    const to = (await operator.post(`/prompts/${name}/run`)).headers.get('location')!
    const id = Number(to.split('/').at(-1))
    await rig.journey.until(`${name} has its report`, () => view.run(id)?.state === 'written')
    return to
  }

  async function signedIn(name: string, address = rig.address): Promise<Browser> {
    const browser = new Browser(address)
    await browser.get('/')
    await browser.signIn(name, 'correct horse')
    return browser
  }

  async function another(change: Partial<Config>): Promise<string> {
    const page = await openPage({
      config: { ...rig.config, ...change },
      clock: system_clock,
      log: () => {},
    })
    onTestFinished(() => page.close())
    return page.address.replace(/\/$/, '')
  }

  return { ...rig, operator, run, signedIn, another, view }
}

test('a prompt is tried dry, run, and read: report, coverage, files, download', {
  timeout: 60_000,
}, async () => {
  const { operator, run } = await beginReports()
  const list = await operator.get('/prompts')
  expect(list.text).toMatch(/weekly.*Mondays at 08:00 \(Europe\/Berlin\).*has not run yet/s)
  const about = await operator.get('/prompts/weekly')
  expect(about.text).toContain('Say &lt;all&gt; about the harbour')
  expect(about.text).toContain('what came in since the last report')
  expect(about.text.match(/<li><time/g)).toHaveLength(5)
  expect(about.text).not.toContain('Run now')
  const dry = await operator.get('/prompts/weekly/dry-run')
  expect(dry.text).toContain('1 of 1 file ready')
  expect(dry.text).toMatch(/<pre>Say &lt;all&gt; about the harbour and the bridge\.\n\nRun weekly /)
  expect(dry.text).toContain('href="/file?folder=docs&amp;path=plan+%26+co.md"')
  expect(dry.text).toContain('Run now')

  const to = await run('weekly')
  const report = await operator.get(to)
  expect(report.text).toMatch(/<div id="live">.*<article[^>]*>.*harbour.*<\/article>/s)
  expect(report.text).not.toContain('intelligence:')
  // Question, period, counts, coverage, files, and answer; nothing was left unread.
  expect(report.text).not.toContain('What was not read')
  expect(report.text).toMatch(
    /<dt>Question<\/dt><dd>Say &lt;all&gt; about.*<dt>\w+<\/dt><dd>.*<p class="verdict">1 new<\/p>.*asked about 1 file: 1 read whole; 1 named.*<li><a href="\/file\?folder=docs&amp;path=plan\+%26\+co\.md">.*<\/a>: <span class="">new, .*read whole<\/span>.*<article.*<h2>Folders/s,
  )
  expect(report.text).toMatch(
    /<article[^>]*>.*<a href="\/file\?folder=docs&amp;path=plan\+%26\+co\.md">.*<\/article>/s,
  )
  const download = await operator.get(`${to}/report.md`)
  expect(download.headers.get('content-disposition')).toMatch(
    /^attachment; filename="weekly-\d{4}-\d\d-\d\d-\d\d-\d\d\.md"$/,
  )
  expect(download.headers.get('x-content-type-options')).toBe('nosniff')
  expect(download.text).toMatch(/^---\nname: "weekly"\n.*harbour/s)
  const history = await operator.get('/prompts/weekly')
  expect(history.text).toMatch(new RegExp(`href="${to}".*written`, 's'))
  expect((await operator.get(`${to}/diff`)).status).toBe(404)
})

test('changes since the run before', { timeout: 60_000 }, async () => {
  const { operator, run, journey } = await beginReports()
  const first = await run('weekly')
  journey.write({ 'docs/<b>.md': 'The bridge <img src=x onerror=alert(1)> closes.' })
  await journey.allReady()
  const second = await run('weekly')
  const { text } = await operator.get(`${second}/diff`)
  expect(text).toMatch(/<span class="good">\+.*<\/span>/)
  expect(text).toContain('<span class="good">+ file docs/&lt;b&gt;.md</span>')
  expect(text).toContain(`href="${first}"`)
  expect(text).not.toContain('<img')
})

test('a hostile report is text', { timeout: 60_000 }, async () => {
  const { operator, run, journey, store, address } = await beginReports()
  const bad = [
    '# Hello <script>alert(1)</script>',
    '<img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png)',
    '[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [d](/sign-out) <javascript:alert(1)>',
    '[good](https://example.com/?a=1&b=2 "title") <mailto:team@example.com>',
    'invoice\u202efdp.exe and \u0000\u000b\ud800 and ]]> &amp; <![CDATA[',
    '</article></main><form action=/runs/1/deliver>',
  ]
  const response = bad.join('\n\n')
  journey.service.injectFaults({ turn_shows: { status: 'done', response } })
  const { text } = await operator.get(await run('weekly'))
  const article = /<article dir="auto">(.*?)<\/article>/s.exec(text)![1]!
  expect(
    [...article.matchAll(/<[a-z]+[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => !/^<(p|h1)>$/.test(tag)),
  ).toEqual([
    '<a href="https://evil.example/p.png" rel="noopener noreferrer">',
    '<a href="https://example.com/?a=1&amp;b=2" title="title" rel="noopener noreferrer">',
    '<a href="mailto:team@example.com" rel="noopener noreferrer">',
  ])
  expect(article).toContain('\\u{202e}')
  const token = store.makeToken('eve')
  const feed = await new Browser(address).get('/prompts/weekly/feed.xml', {
    authorization: `Bearer ${token}`,
  })
  const [content] = elementsOf(feed.text, 'content')
  expect(content).toContain('&lt;script&gt;')
  expect(content).not.toMatch(/<script|<img|javascript:alert\(1\)"/)
})

test('a delivery that failed is sent again, once', { timeout: 60_000 }, async () => {
  const server = await startServer([{ status: 404 }, { status: 200 }])
  const hook = { name: 'team', webhook: { url: `${server.origin}/hook` } }
  const { operator, run } = await beginReports([hook])
  const to = await run('weekly')
  await until('it was tried', () => server.requests.length === 1)
  await until('the failure shows', async () => /answered 404/.test((await operator.get(to)).text))
  const { text } = await operator.get(to)
  expect(text).toMatch(/team \(webhook of 127\.0\.0\.1:\d+\).*waits; the next try/s)
  expect(text).toContain('Send again')
  expect(text).not.toContain(`${server.origin}/hook`)
  expect((await operator.post(`${to}/deliver`, { target: 'other' })).status).toBe(400)
  expect((await operator.post(`${to}/deliver`, { target: 'team' })).status).toBe(303)
  await until('it has arrived', async () => /delivered/.test((await operator.get(to)).text))
  expect((await operator.get(to)).text).not.toContain('Send again')
  await operator.post(`${to}/deliver`, { target: 'team' })
  expect((await operator.get(to)).text).toContain('It has arrived there already.')
  expect(server.requests).toHaveLength(2)
})

/** Texts of the elements of this name. Throws for what is not well-formed XML. */
function elementsOf(xml: string, name: string): string[] {
  const found: string[] = []
  let open = ''
  const parser = sax.parser(true)
  parser.onerror = (error) => {
    throw error
  }
  parser.onopentag = (tag) => {
    open = tag.name
    if (open === name) found.push('')
  }
  parser.ontext = (text) => {
    if (open === name) found[found.length - 1] += text
  }
  parser.onclosetag = () => {
    open = ''
  }
  parser.write(xml).close()
  return found
}

test('a feed by token; its ids stay when the page moves', { timeout: 60_000 }, async () => {
  const { address, store, run, another, config } = await beginReports()
  await run('weekly')
  const path = '/prompts/weekly/feed.xml'
  const refused = await new Browser(address).get(path)
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Basic /),
  ])
  const token = store.makeToken('ada')
  const basic = { authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` }
  const feed = await new Browser(address).get(path, basic)
  expect([feed.status, feed.headers.get('content-type')]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
  ])
  const ids = elementsOf(feed.text, 'id')
  expect(ids).toHaveLength(2)
  for (const id of ids)
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of elementsOf(feed.text, 'updated'))
    expect(Date.parse(time)).toBeGreaterThan(Date.now() - 60_000)
  expect(feed.text).toContain(`href="${address}/runs/1"`)
  const etag = feed.headers.get('etag')!
  expect((await new Browser(address).get(path, { ...basic, 'if-none-match': etag })).status).toBe(
    304,
  )
  const page = { ...config.page, base_url: 'https://example.com/sluice' }
  const moved = new Browser(await another({ page }))
  const after = await moved.get('/prompts/weekly/feed.xml', basic)
  expect(elementsOf(after.text, 'id')).toEqual(ids)
  expect(after.text).toContain('href="https://example.com/sluice/runs/1"')
  for (const other of ['both', 'labelled', 'unknown'])
    expect(
      (await new Browser(address).get(`/prompts/${other}/feed.xml`, basic)).status,
      other,
    ).toBe(404)
})

test('readers see what is wholly theirs, and may run nothing', { timeout: 60_000 }, async () => {
  const { config, operator, run, signedIn, another } = await beginReports()
  const [own, foreign] = [await run('weekly'), await run('both')]
  await operator.get('/')
  const ada = await signedIn('ada')
  const list = await ada.get('/prompts')
  expect(list.text).toContain('weekly')
  expect(list.text).not.toMatch(/both|labelled|legal/)
  const prompts = ['/prompts/both', '/prompts/labelled', '/prompts/unknown']
  const runs = [
    foreign,
    `${foreign}/report.md`,
    `${foreign}/diff`,
    '/runs/99',
    '/runs/x',
    '/runs/1e0.5',
  ]
  for (const path of [...prompts, ...prompts.map((each) => `${each}/feed.xml`), ...runs])
    expect((await ada.get(path)).status, path).toBe(404)
  const report = await ada.get(own)
  expect(report.status).toBe(200)
  expect(report.text).not.toContain('Send again')
  expect((await ada.get('/prompts/weekly')).text).not.toContain('dry-run')
  expect((await ada.get('/prompts/weekly/dry-run')).status).toBe(403)
  await ada.get(own)
  expect((await ada.post('/prompts/weekly/run')).status).toBe(403)
  expect((await ada.post(`${own}/deliver`, { target: 'copy' })).status).toBe(403)

  // The prompt had another scope when it ran.
  const [weekly, both] = config.prompts
  const narrow = { ...both!, scope: weekly!.scope }
  const later = await signedIn('ada', await another({ prompts: [narrow] }))
  expect((await later.get('/prompts/both')).text).not.toContain(foreign)
  expect((await later.get(foreign)).status).toBe(404)
  expect((await later.get(`${foreign}/report.md`)).status).toBe(404)
  const all = await signedIn('eve', await another({ prompts: [narrow] }))
  expect((await all.get(foreign)).status).toBe(200)
})

test('a report in a chat that began over more folders is not for their readers', {
  timeout: 60_000,
}, async () => {
  const { config, journey, run, signedIn, another, view } = await beginReports()
  const over = {
    ...prompt,
    name: 'both',
    scope: { folders: ['docs'] },
    deliver: [{ file: { dir: makeTree() } }],
  }
  const first = await run('both')
  const next = async (continue_chat: boolean, text: string) => {
    await journey.reload({ prompts: [{ ...over, continue_chat }] })
    journey.write({ [`docs/${text}.md`]: text })
    await journey.allReady()
    return run('both')
  }
  const [second, third] = [await next(true, 'tides'), await next(true, 'ferries')]
  const [fourth, fifth] = [await next(false, 'buoys'), await next(true, 'locks')]
  expect(new Set([1, 2, 3].map((id) => view.run(id)!.turns[0]!.chat_id)).size).toBe(1)
  expect(view.run(5)!.turns[0]!.chat_id).toBe(view.run(4)!.turns[0]!.chat_id)
  const [weekly, both] = config.prompts
  const ada = await signedIn(
    'ada',
    await another({ prompts: [{ ...both!, scope: weekly!.scope }] }),
  )
  const list = (await ada.get('/prompts/both')).text
  for (const to of [first, second, third]) {
    expect(list).not.toContain(`"${to}"`)
    for (const path of [to, `${to}/report.md`, `${to}/diff`])
      expect((await ada.get(path)).status, path).toBe(404)
  }
  for (const to of [fourth, fifth]) {
    expect(list).toContain(`"${to}"`)
    expect((await ada.get(to)).status, to).toBe(200)
  }
  expect((await ada.get(`${fourth}/diff`)).status).toBe(404)
  expect(list).not.toContain('Some runs are not shown')

  // Nothing says any more whose files the chat was about when it began.
  const ledger = openLedgerFile(ledgerFile(config.state_dir))
  for (const [table, column] of [
    ['run_assets', 'run'],
    ['deliveries', 'run'],
    ['runs', 'id'],
  ])
    ledger.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(Number(fourth.split('/').at(-1)))
  ledger.close()
  const rest = (await ada.get('/prompts/both')).text
  expect(rest).not.toContain(`"${fifth}"`)
  expect(rest).toContain('Some runs are not shown to you')
  const eve = await signedIn('eve')
  expect((await eve.get('/prompts/both')).text).toMatch(
    new RegExp(`"${fifth}"(?!.*Some runs are not shown)`, 's'),
  )
})

test('names in an answer lead to the pages of the files, but those in links and of two files', {
  timeout: 60_000,
}, async () => {
  const { operator, run, journey } = await beginReports()
  journey.write({ 'docs/a/notes.md': 'one', 'docs/b/notes.md': 'two' })
  await journey.allReady()
  const response =
    '**docs/plan & co.md**: see `plan & co.md`, not [plan & co.md](https://x.example/), my plan & co.md_old or notes.md; docs/a/notes.md'
  journey.service.injectFaults({ turn_shows: { status: 'done', response } })
  const { text } = await operator.get(await run('weekly'))
  const article = /<article dir="auto">(.*?)<\/article>/s.exec(text)![1]!
  const links = [...article.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)
  const plan = '/file?folder=docs&amp;path=plan+%26+co.md'
  expect(links).toEqual([
    plan,
    plan,
    'https://x.example/',
    '/file?folder=docs&amp;path=a%2Fnotes.md',
  ])
})

test('the overview has the facts of the last reports, for each viewer those of theirs', {
  timeout: 60_000,
}, async () => {
  const { journey, operator, run, signedIn, store, address } = await beginReports()
  const none = (await operator.get('/')).text
  expect(none).toContain('has not run yet')
  await run('weekly')
  await run('both')
  const all = (await operator.get('/')).text
  expect(all).toContain('<a href="/runs/1">1 new; asked about 1 file: 1 read whole; 1 named</a>')
  expect(all).toContain('<a href="/runs/2">2 new; asked about 2 files: 2 read whole; 2 named</a>')
  const ada = await signedIn('ada')
  const own = (await ada.get('/')).text
  expect(own).toContain('<a href="/runs/1">1 new; asked about 1 file: 1 read whole; 1 named</a>')
  expect(own).not.toMatch(/both|\/runs\/2/)
  journey.write({ 'docs/ferries.md': 'ferries', 'docs/boats.md': 'boats' })
  await journey.allReady()
  await run('weekly')
  expect((await ada.get('/')).text).toContain(
    '<a href="/runs/3">2 new; asked about 2 files: 2 read whole; 2 named</a>',
  )

  store.putUser({ name: 'ada', role: 'reader', folders: ['legal'] })
  const legal = (await ada.get('/')).text
  expect(legal).toContain('There is no report that you may see.')
  expect(legal).not.toMatch(/2 new|No report is configured/)
  expect((await new Browser(address).get('/')).status).toBe(401)
})

test('a skipped run says why in each list and on its page', { timeout: 60_000 }, async () => {
  const { operator, run, journey, view } = await beginReports()
  await run('weekly')
  await operator.get('/prompts/weekly/dry-run')
  const to = (await operator.post('/prompts/weekly/run')).headers.get('location')!
  await journey.until('it is skipped', () => view.run(2)?.state === 'skipped')
  for (const path of ['/', '/prompts', '/prompts/weekly', to])
    expect([path, (await operator.get(path)).text]).toEqual([
      path,
      expect.stringMatching(/skipped.*nothing new since/s),
    ])
})

test('an open run says what it waits for', { timeout: 60_000 }, async () => {
  const { operator, journey, view } = await beginReports()
  journey.service.injectFaults({ turn_shows: { status: 'running', response: '' } })
  await operator.get('/prompts/weekly/dry-run')
  const to = (await operator.post('/prompts/weekly/run')).headers.get('location')!
  await journey.until('it is asked', () => view.run(1)?.state === 'asked')
  const { text } = await operator.get(to)
  expect(text).toContain('<p>The service has its question and is answering.</p>')
  expect(text).toMatch(/<dt>Question<\/dt>.*1 of 1 file ready/s)
  expect(text).not.toMatch(/<article|What was not read/)
})

test('a run says its time once, in the zone of its reader', { timeout: 60_000 }, async () => {
  const { journey, operator, run, view } = await beginReports()
  const first = await run('weekly')
  journey.write({ 'docs/ferries.md': 'ferries' })
  await journey.allReady()
  const second = await run('weekly')
  const due = new Date(view.run(2)!.due_ms).toISOString()
  const { text } = await operator.get(second)
  expect(text).toContain('<title>Run 2 of weekly · Sluice</title>')
  expect(text).toContain(`<h1><bdi>weekly</bdi>, <time datetime="${due}">`)
  const changes = (await operator.get(`${second}/diff`)).text
  expect(changes).toContain(`<h1>Changes in <bdi>weekly</bdi>, <time datetime="${due}">`)
  expect(changes).toContain(`href="${first}"`)
})

test('a run of a prompt that left the configuration is for operators who see all', {
  timeout: 60_000,
}, async () => {
  const { run, signedIn, another, store } = await beginReports()
  const to = await run('weekly')
  const address = await another({ prompts: [] })
  const operator = new Browser(address)
  await operator.useLink(store)
  expect((await operator.get('/prompts')).text).toContain('no longer in the configuration')
  expect((await operator.get('/prompts/weekly')).text).toContain(to)
  expect((await operator.get(to)).status).toBe(200)
  expect((await operator.get('/prompts/weekly/dry-run')).status).toBe(404)
  for (const name of ['ada', 'eve']) {
    const reader = await signedIn(name, address)
    for (const path of [to, `${to}/report.md`, '/prompts/weekly', '/prompts/weekly/feed.xml'])
      expect((await reader.get(path)).status, `${name} ${path}`).toBe(404)
  }
})
