import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fullOrPart } from '../journeys/rig/harness.ts'
import { seedOfCommit } from '../rig/commit-seed.ts'
import { within } from '../rig/waiting.ts'
import { beginCrowdedPage } from './crowded-page.ts'
import { Browser } from './page-rig.ts'
import { rawRequest, statusOf } from './raw-request.ts'

const requests = Number(process.env.SLUICE_TEST_REQUESTS ?? fullOrPart(10_000, 500))
/** After so many requests all sign in again: some of them sign out. */
const round = 500

const odd = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'weekly',
      'klondike',
      'docs',
      'vault',
      '1',
      '2',
      '3',
      'same.txt',
      'ready',
      '7d',
    ),
  },
  fc.constantFrom(
    '..',
    '../../page.db',
    '%2e%2e%2fpage.db',
    '..%5c',
    '%00',
    '\0',
    '%',
    '%zz',
    '%ff',
    '%ed%a0%80',
    '//',
    '\\',
  ),
  fc.constantFrom(
    '<x-evil>',
    '"><img src=x onerror=evil(1)>',
    "'--",
    '%0d%0aX-Injected:%201',
    '\r\nX-Injected: 1',
    '%E2%80%AE',
  ),
  fc.constantFrom(
    '-1',
    '0',
    '1e309',
    'NaN',
    '9007199254740993',
    '0x10',
    '__proto__',
    'constructor',
    'toString',
    '[object Object]',
  ),
  fc.constantFrom(
    'http://evil.example/',
    '//evil.example/',
    'javascript:evil(1)',
    '?',
    '#',
    ';',
    '&a[b]=c',
    '*',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.nat(12_000).map((length) => 'a'.repeat(length)),
)
const routes =
  `/ /files /file /find /problems /prompts /prompts/: /prompts/:/dry-run /prompts/:/run /prompts/:/feed.xml /runs/: /runs/:/report.md
/runs/:/diff /runs/:/deliver /ask /ask/: /about /hosts /mcp /retry /accept /group /rescan /sign-in /sign-out /link /link/: /assets/: /:`.split(
    /\s+/,
  )
const names =
  'q folder path state since from cursor after next back question label target link name password text within sort after_folder stage code message _csrf'
const place = odd.map((path): [string, string][] => [
  ['folder', 'docs'],
  ['path', path],
])
const any_fields = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names.split(' ')), odd), odd), {
  maxLength: 4,
})
const fields = fc.oneof(any_fields, place)
const encoded = (pairs: [string, string][]) =>
  pairs.map((pair) => pair.map(encodeSafely).join('=')).join('&')
const encodeSafely = (text: string) => encodeURIComponent(Buffer.from(text).toString())

const target = fc
  .record({
    route: fc.constantFrom(...routes),
    params: fc.array(odd, { minLength: 2, maxLength: 2 }),
    is_escaped: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    query: fc.option(fc.oneof({ weight: 6, arbitrary: fields.map(encoded) }, odd)),
    before: fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      fc.constantFrom('/', '//evil.example', 'http://evil.example', '/..', '/%2e'),
    ),
    change: fc.oneof(
      { weight: 8, arbitrary: fc.constant('') },
      fc.constantFrom('/', '//', '/.', '%2f', '?', '/%00', '.json'),
    ),
  })
  .map(({ route, params, is_escaped, query, before, change }) => {
    let at = 0
    const path = route.replaceAll(':', () => (is_escaped ? encodeSafely : String)(params[at++]!))
    return `${before}${path}${change}${query === null ? '' : `?${query}`}`
  })

const header = fc.oneof(
  fc.constantFrom(
    'Range: bytes=0-1,5-',
    'If-None-Match: *',
    'Accept-Encoding: gzip, br',
    'Accept: application/json',
    'TE: trailers',
  ),
  fc.constantFrom(
    'Expect: 100-continue',
    'Expect: evil',
    'Upgrade: websocket',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
  ),
  fc.constantFrom(
    'Content-Length: -1',
    'Content-Length: x',
    'Host: evil.example',
    'Host:',
    'X-HTTP-Method-Override: POST',
  ),
  fc.constantFrom(
    'X-Forwarded-For: 1',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: evil.example',
    'Remote-User: boss',
    'X-Original-URL: /about',
  ),
  fc.constantFrom(
    'Authorization: Basic',
    'Authorization: Basic ////',
    'Authorization: Bearer x',
    'Authorization: Digest a="b"',
  ),
  fc.constantFrom(
    'Cookie: sluice_page=x.y',
    'Cookie: __proto__=1; constructor=2',
    'Cookie: sluice_page=%',
    'Sec-Fetch-Site: cross-site',
  ),
  fc.nat(20_000).map((length) => `Cookie: a=${'b'.repeat(length)}`),
  odd.map((text) => `X-Odd: ${text}`),
)
const json = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{',
    '[]',
    '7',
    '{"__proto__":{"a":1}}',
    '['.repeat(5_000),
    '{"method":"tools/call"}',
  ),
)
const body = fc.oneof(
  fc.tuple(fc.constant('application/x-www-form-urlencoded'), fc.oneof(fields.map(encoded), odd)),
  fc.tuple(fc.constant('application/json'), json),
  fc.tuple(fc.constantFrom('text/plain', 'multipart/form-data; boundary=x', 'x', ''), odd),
  fc.tuple(
    fc.constant('application/x-www-form-urlencoded'),
    fc.constant(`a=${'b'.repeat(70_000)}`),
  ),
)
const request = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('GET', 'POST') },
    fc.constantFrom(
      'HEAD',
      'PUT',
      'DELETE',
      'OPTIONS',
      'PATCH',
      'TRACE',
      'get',
      'EVIL',
      'PROPFIND',
    ),
  ),
  target,
  version: fc.oneof(
    { weight: 20, arbitrary: fc.constant('HTTP/1.1') },
    fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9'),
  ),
  headers: fc.array(header, { maxLength: 2 }),
  body,
  who: fc.constantFrom('nobody', 'ada', 'ann', 'operator', 'agent'),
  origin: fc.constantFrom(
    'own',
    'own',
    'own',
    'own',
    'own',
    'own',
    'null',
    'https://evil.example',
    undefined,
  ),
  has_csrf: fc.boolean(),
})

test(`${requests} odd requests: no fault, no secret, nothing of a request becomes an element`, async () => {
  const { signedIn, address, store, config, notes } = await beginCrowdedPage()
  const token = store.makeToken('ada')
  const cookies = new Map<string, { headers: string[]; csrf: string }>()
  async function signInAll(): Promise<void> {
    for (const name of ['ada', 'ann', 'operator']) {
      const browser = name === 'operator' ? new Browser(address) : await signedIn(name)
      if (name === 'operator') await browser.useLink(store)
      const { text } = await browser.get('/ask')
      const csrf = /name="_csrf" value="([^"]+)"/.exec(text)![1]!
      cookies.set(name, { headers: [`Cookie: ${browser.cookie}`], csrf })
    }
    cookies.set('agent', { headers: [`Authorization: Bearer ${token}`], csrf: '' })
  }
  const sessionSecrets = () =>
    (store.database.prepare('SELECT data FROM sessions').pluck().all() as string[]).map(
      (data) => JSON.parse(data)._csrf,
    )
  const ofAll = () => [
    token,
    store.cookieSecret(),
    'scrypt$',
    /(?:\bpat_(?!\*)[\x21-\x7e]{32}|[?&]sig=\w)/,
    ...sessionSecrets().filter((secret) => typeof secret === 'string'),
    ...[...cookies.values()].flatMap(({ headers }) =>
      headers.map((line) => line.split('=')[1] ?? 'none at all'),
    ),
  ]
  const found = (text: string, secrets: readonly (string | RegExp)[]) =>
    secrets.filter((secret) =>
      typeof secret === 'string' ? text.includes(secret) : secret.test(text),
    )

  const statuses = new Map<number, number>()
  let sent = 0
  let secrets: (string | RegExp)[] = []
  const property = fc.asyncProperty(
    request,
    async ({ method, target: to, version, headers, body: given, who, origin, has_csrf }) => {
      if (sent++ % round === 0) {
        await signInAll()
        secrets = ofAll()
      }
      const as = cookies.get(who)
      const [type, text] = given
      const bytes = Buffer.from(
        `${has_csrf && as ? `_csrf=${encodeURIComponent(as.csrf)}&` : ''}${text}`,
        'utf8',
      ).toString('latin1')
      const has_body = method !== 'GET' && method !== 'HEAD'
      const lines = [
        `${method} ${Buffer.from(to, 'utf8').toString('latin1')} ${version}`,
        ...(as?.headers ?? []),
        ...(origin === undefined ? [] : [`Origin: ${origin === 'own' ? address : origin}`]),
        ...(has_body ? [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`] : []),
        ...headers,
      ]
      // Else the server waits for the end of the body.
      const rest_of_body = headers.some((line) => line.endsWith(': chunked')) ? '0\r\n\r\n' : ''
      const raw = rawRequest(address, lines, `${has_body ? bytes : ''}${rest_of_body}`)
      const answer = (await within(lines.join('\n').slice(0, 3_000), raw)).replace(
        /^HTTP\/1\.1 100 .*?\r\n\r\n/s,
        '',
      )
      const status = statusOf(answer)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status, answer.slice(0, 2_000)).toBeLessThan(500)
      const [head = '', ...rest] = answer.split('\r\n\r\n')
      expect(head).not.toMatch(/^x-injected/im)
      expect(head).not.toMatch(/^(?:location: |refresh: 0; url=)(?!\/(?![/\\]))/im)
      const shown = `${head.replaceAll(/^set-cookie:.*$/gim, '')}\n${rest.join('\n')}`
      expect(
        found(shown, who === 'operator' ? secrets : [...secrets, config.state_dir]),
        shown.slice(0, 3_000),
      ).toEqual([])
      if (/^content-type: text\/html/im.test(head)) expect(rest.join()).not.toMatch(/<x-evil|<img/)
    },
  )
  await fc.assert(property, { numRuns: requests, endOnFailure: true })
  console.log(
    `seed ${seedOfCommit()}: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`,
  )
  for (const expected of [200, 303, 400, 401, 403, 404])
    expect(statuses.get(expected) ?? 0, `${expected}`).toBeGreaterThan(0)
  expect(notes.filter(({ level }) => level === 'error')).toEqual([])
  const noted = JSON.stringify(
    notes.map(({ fields: of, ...note }) => ({
      ...note,
      of: String(of?.error ?? JSON.stringify(of)),
    })),
  )
  expect(found(noted, ofAll())).toEqual([])
  expect((await (await signedIn('ann')).get('/')).status, 'afterwards').toBe(200)
})
