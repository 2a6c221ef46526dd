import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, attributesIn, beginCrowdedPage, crawl, of_vault } from './crowded-page.ts'
import { agentOf } from './mcp/agent-rig.ts'
import { Browser } from './page-rig.ts'
import { rawRequest, statusOf } from './raw-request.ts'

const starts = [
  '/',
  '/files',
  '/files?q=same',
  '/files?state=refused',
  '/problems',
  '/prompts',
  '/ask',
  '/about',
  '/prompts/weekly/feed.xml',
]
const echoed = /klondike|vault/
const probes = [
  '/files?q=klondike',
  '/files?q=same&folder=vault',
  '/files?after_folder=vault&after=a',
  '/files?after_folder=docs&after=%F4%8F%BF%BF',
  '/file?folder=vault&path=klondike/plan.txt',
  '/file?folder=docs&path=../vault/klondike.gz',
  '/file?folder=docs&path=klondike.gz',
  '/file?folder=vault&path=nothing',
  '/file?folder=docs&path=%00',
  '/ask?folder=vault&path=klondike',
  '/prompts/klondike/feed.xml',
  '/prompts/both-klondike?from=0',
]
/** Those that answer with an empty list, or with a form. */
const open_probes = /^\/(?:files\?(?:q=klondike|after)|ask\?)/

/** Without what the request itself says. */
function withoutEcho(text: string, path: string): string {
  const said = [
    path,
    path.replaceAll('&', '&amp;'),
    ...new URLSearchParams(path.split('?')[1]).values(),
  ]
  return said.reduce((rest, part) => (part === '' ? rest : rest.replaceAll(part, '')), text)
}

test('a reader of one folder finds no trace of another, on no page and by no address', {
  timeout: 120_000,
}, async () => {
  const { operator, signedIn, address, store } = await beginCrowdedPage()
  const all = await crawl(operator, starts)
  const theirs = [...all].filter(([path, { text }]) => of_vault.test(path) || of_vault.test(text))
  expect(theirs.length, 'pages that an operator sees').toBeGreaterThan(8)
  for (const name of ['ada', 'ann']) {
    const browser = await signedIn(name)
    const own = await crawl(browser, starts)
    for (const [path, { text }] of own) expect(text, `${path} for ${name}`).not.toMatch(of_vault)
    for (const path of [...theirs.map(([path]) => path), ...probes]) {
      const { status, text } = await browser.get(path)
      if (!own.has(path) && !open_probes.test(path)) expect([path, status]).toEqual([path, 404])
      expect(withoutEcho(text, path), `${path} for ${name}`).not.toMatch(of_vault)
    }
  }
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const { call, client } = await agentOf(address, store.makeToken('ada'))
  const given = [
    {},
    { text: 'same' },
    { text: 'klondike' },
    { file: 'same' },
    { file: 'docs/same.txt' },
  ]
  const more = [
    { since: '1d' },
    { prompt: 'weekly' },
    { prompt: 'klondike' },
    { prompt: 'both-klondike' },
  ]
  for (const { name } of (await client.listTools()).tools.filter((tool) => tool.name !== 'ask')) {
    for (const args of [...given, ...more]) {
      const { text, data } = await call(name, args)
      const told = `${text}${JSON.stringify(data)}`
      const rest = Object.values(args).reduce((left, said) => left.replaceAll(said, ''), told)
      expect(rest, `${name} ${JSON.stringify(args)}`).not.toMatch(of_vault)
    }
  }
})

test('no form acts for a reader, nor on another folder for an operator', {
  timeout: 120_000,
}, async () => {
  const { operator, signedIn, journey } = await beginCrowdedPage()
  const all = [...(await crawl(operator, starts)).values()]
  const forms = new Map<string, Record<string, string>>()
  for (const { text } of all) {
    for (const [form] of text.matchAll(/<form .*?<\/form>/gs)) {
      const [names, values] = [attributesIn(form, 'name'), attributesIn(form, 'value')]
      const fields = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
      const { _csrf, ...sent } = fields
      const action = attributesIn(form, 'action')[0] ?? ''
      if (/method="post"/.test(form))
        forms.set(`${action} ${JSON.stringify(sent)}`, { ...sent, action })
    }
  }
  const acts = [...forms.values()].filter(({ action }) => !['/sign-out', '/ask'].includes(action!))
  const extra = ['/retry', '/accept', '/rescan'].map((action) => ({
    action,
    folder: 'vault',
    path: '',
  }))
  expect(acts.length).toBeGreaterThan(3)
  const before = journey.service.requestLog.length
  const run_before = (await operator.get('/prompts/klondike')).text.match(/href="\/runs\//g)?.length
  for (const [name, expected] of [
    ['ada', [403, 404]],
    ['ann', [404]],
  ] as const) {
    const browser = await signedIn(name)
    for (const { action = '', ...fields } of [...acts, ...extra]) {
      const is_other = echoed.test(`${action}${JSON.stringify(fields)}`) || /^\/runs\//.test(action)
      if (name === 'ann' && !is_other) continue
      await browser.get('/problems')
      const { status, text } = await browser.post(action, fields as Record<string, string>)
      expect(expected, `${action} by ${name}`).toContain(status)
      expect(withoutEcho(text, action)).not.toMatch(of_vault)
    }
  }
  // A type is accepted in a whole project, and so in the other folder, too.
  const ann = await signedIn('ann')
  expect((await ann.get('/problems')).text).not.toContain('all the same')
  for (const [action, fields] of [
    ['/accept', { folder: 'docs', path: '*.gz' }],
    ['/group', { stage: 'blocked', code: 'type_refused:gz' }],
  ] as const)
    expect((await ann.post(action, fields)).status, action).toBe(403)
  expect((await operator.get('/prompts/klondike')).text.match(/href="\/runs\//g)?.length).toBe(
    run_before,
  )
  expect(
    journey.service.requestLog.slice(before).filter(({ place }) => /asset|message/.test(place)),
  ).toEqual([])
})

test('an answer in a chat that began over more folders goes with them', {
  timeout: 120_000,
}, async () => {
  const { signedIn, store } = await beginCrowdedPage()
  const browser = await signedIn('ada')
  const alone = await ask(browser, 'What is there?')
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs', 'vault'] })
  const first = await ask(browser, 'What is planned?', { folder: 'vault' })
  const second = await ask(browser, 'And here?', {
    folder: 'docs',
    after: first.split('/').at(-1)!,
  })
  expect((await browser.get(second)).status).toBe(200)
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  expect((await browser.get(alone)).status).toBe(200)
  for (const path of [first, second]) expect((await browser.get(path)).status, path).toBe(404)
  await browser.get('/ask')
  const on = await browser.post('/ask', { question: 'And then?', after: second.split('/').at(-1)! })
  expect(on.status).toBe(404)
  store.removeUser('ada')
  store.putUser({ name: 'ada', role: 'reader', folders: 'all' })
  expect(
    store.database.prepare(`SELECT count(*) FROM questions WHERE user = 'ada'`).pluck().get(),
  ).toBe(0)
})

test('a proxy shows its users what is theirs, and whoever is no listed proxy is nobody', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: 'Remote-User', groups_header: 'Remote-Groups' }
  const { operator, signedIn, address, store, config } = await beginCrowdedPage({ page: { proxy } })
  store.putUser({ name: 'group:few', role: 'operator', folders: ['docs'] })
  store.putUser({ name: 'boss', role: 'operator', folders: 'all' })
  const secrets = () => [
    store.cookieSecret(),
    config.state_dir,
    readFileSync(config.service.token_file!, 'utf8').trim(),
    ...(store.database.prepare('SELECT data FROM sessions').pluck().all() as string[]).flatMap(
      (data) => (JSON.parse(data) as { _csrf?: string })._csrf ?? [],
    ),
  ]
  const secret = /scrypt\$|[?&]sig=|sluice_page_[\w-]{32}/
  const crawled = (await crawl(operator, starts)).keys()
  const paths = new Set([...crawled, ...probes, '/none', '/assets/none', '/mcp', '/link/x'])
  const refuseLeaks = (
    of: string,
    path: string,
    { status, text }: { status: number; text: string },
  ) => {
    expect(status, `${path} for ${of}`).toBeLessThan(500)
    expect(withoutEcho(text, path), `${path} for ${of}`).not.toMatch(of_vault)
    expect(text, `${path} for ${of}`).not.toMatch(secret)
    for (const each of secrets())
      expect(text.includes(each), `${path} for ${of} has a secret`).toBe(false)
  }

  for (const [user, groups] of [
    ['ada', 'few'],
    ['eve', 'few, unknown'],
    ['boss of nobody', ''],
  ] as const) {
    const browser = new Browser(address)
    Object.assign(browser.headers, { 'remote-user': user, 'remote-groups': groups })
    const own = await crawl(browser, starts)
    for (const path of paths) if (!own.has(path)) own.set(path, await browser.get(path))
    for (const [path, answer] of own) refuseLeaks(user, path, answer)
    const open = [...own].filter(([, { status }]) => status === 200)
    if (groups === '') expect(open).toEqual([])
    else expect(open.length).toBeGreaterThan(15)
  }

  const forged = [
    'Remote-User: boss',
    'Remote-Groups: few',
    'X-Forwarded-For: 127.0.0.1',
    'Forwarded: for=127.0.0.1',
  ]
  const { cookie } = await signedIn('ada')
  for (const path of paths) {
    const ask = async (...lines: string[]) => {
      const text = await rawRequest(
        address,
        [`GET ${path} HTTP/1.1`, ...lines, ...forged],
        '',
        '127.0.0.2',
      )
      return { status: statusOf(text), text: text.replaceAll(/^set-cookie:.*$/gim, '') }
    }
    const stranger = await ask()
    expect([path === '/link/x' ? 403 : 401, 404], path).toContain(stranger.status)
    refuseLeaks('a stranger', path, stranger)
    refuseLeaks('ada from elsewhere', path, await ask(`Cookie: ${cookie}`))
  }
})
