import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, start, temporaryFolder } from '../fixture.ts'

const email = 'bob@example.org'

async function invite(client: Client, role = 'reader'): Promise<string> {
  return (await client.post(`/v1/projects/${client.project_id}/invitations`, { email, role })).body
    .url
}

interface Page {
  status: number
  html: string
  headers: Headers
}

async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, init)
  return { status: response.status, html: await response.text(), headers: response.headers }
}

const accept = (url: string, headers: Record<string, string> = {}) =>
  open(url, { method: 'POST', headers })

/** Sends a form with any Host, which fetch does not. */
function posted(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode }))
    })
    sent.on('error', reject).end()
  })
}

function tokenIn({ html }: Page): string {
  return /pat_[A-Za-z0-9]{32}/.exec(html)![0]
}

test('D-05 whoever opens the link changes nothing; whoever accepts is a member and sees a token, once', async () => {
  const client = await start()
  const url = await invite(client)
  const members = async () =>
    (await client.get(`/v1/projects/${client.project_id}/members`)).body.data
  const first = await open(url)
  expect(first).toMatchObject({
    status: 200,
    html: expect.stringContaining('<form method="post">'),
  })
  expect(first.html).toContain('<b>tests</b> with the role reader')
  expect(first.html).not.toMatch(/pat_|<script/)
  expect((await open(url)).html).toBe(first.html)
  expect(await members()).toEqual([])

  const accepted = await accept(url)
  const bob = client.as({ token: tokenIn(accepted) })
  expect(accepted.status).toBe(200)
  expect(accepted.html).toContain(`<code>${client.service.api}</code>`)
  expect((await bob.get('/v1/assets')).status).toBe(200)
  expect((await bob.post('/v1/labels', { name: 'mine' })).body.code).toBe(
    'publicapi.tenancy.role.insufficient',
  )
  expect(await members()).toMatchObject([{ email, role: 'reader', join_method: 'invited' }])
  for (const page of [await open(url), await accept(url)]) {
    expect(page).toMatchObject({ status: 404, html: expect.not.stringContaining('pat_') })
  }
  expect(client.service.tokens.list()).toHaveLength(2)
})

test('D-05 HEAD answers as GET does, without a body, and uses up no invitation', async () => {
  const client = await start()
  const url = await invite(client)
  for (const place of [url, `${url}x`]) {
    const [shown, head] = [await open(place), await open(place, { method: 'HEAD' })]
    expect(head).toMatchObject({ status: shown.status, html: '' })
    for (const name of [
      'content-length',
      'content-type',
      'cache-control',
      'content-security-policy',
    ])
      expect(head.headers.get(name), name).toBe(shown.headers.get(name))
  }
  expect(await accept(url)).toMatchObject({ status: 200, html: expect.stringContaining('pat_') })
  expect((await open(url, { method: 'HEAD' })).status).toBe(404)
})

test('D-05 a used, an expired, a replaced and an unknown link give the same page', async () => {
  const clock = new FakeClock()
  const client = await start({ clock })
  const used = await invite(client)
  await accept(used)
  const guest = { email: 'eve@example.org', role: 'reader' }
  const path = `/v1/projects/${client.project_id}/invitations`
  const replaced = (await client.post(path, guest)).body.url
  const expired = (await client.post(path, guest)).body.url
  const unknown = `${client.service.api}/invitations/${'x'.repeat(43)}`
  await clock.advance(7 * day_ms - 1)
  expect((await open(expired)).status).toBe(200)
  await clock.advance(1)
  const pages: Page[] = []
  for (const url of [used, replaced, expired, unknown])
    pages.push(await open(url), await accept(url))
  expect(new Set(pages.map(({ status, html }) => `${status} ${html}`)).size).toBe(1)
  expect(pages[0]).toMatchObject({
    status: 404,
    html: expect.stringContaining('Ask the person who invited you'),
  })
  expect(client.service.users.list()).toMatchObject([{ email }])
})

test('D-05 every page is kept by no cache, tells no other site where it was, and runs nothing', async () => {
  const client = await start()
  const url = await invite(client)
  for (const page of [await open(url), await accept(url), await open(url)]) {
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-.{44}'; form-action 'self';/,
      ),
    })
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('D-05 names are text on the page', async () => {
  const client = await start()
  const { project_id } = (await client.post('/v1/projects', { name: `<b onclick="x">'&` })).body
  const { html } = await open(await invite(client.as({ project_id })))
  expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;')
  expect(html).not.toContain('onclick="')
})

test('D-05 a form of another page, or for another host, is refused; one of our own page is not', async () => {
  const client = await start()
  const url = await invite(client)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: client.service.api, 'sec-fetch-site': 'same-site' },
  ]) {
    expect((await accept(url, headers)).status, JSON.stringify(headers)).toBe(400)
  }
  expect(client.service.users.list()).toEqual([])
  // A person who follows a link in their web mail comes from another site, too.
  expect((await open(url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200)
  // So browsers send it: the policy of the page hides its origin.
  expect((await accept(url, { origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  client.service.members.remove(email, client.project_id)
  expect(
    (await accept(await invite(client), { origin: 'null' })).status,
    'a browser that does not say more',
  ).toBe(200)
})

test('D-05 a form that names the origin of its page is taken from our own origin alone', async () => {
  const public_url = 'https://team.example.org/sluice'
  const client = await start({ public_url, public_blob_url: 'https://blobs.example.org' })
  const here = new URL(client.service.api)
  const sent = async (origin: string, host = here.host) => {
    const { pathname } = new URL(await invite(client))
    const { status } = await posted(client.service.api + pathname.slice('/sluice'.length), {
      origin,
      host,
    })
    if (status === 200) client.service.users.remove(email)
    return status
  }
  expect(await sent(client.service.api)).toBe(200)
  expect(await sent(`http://localhost:${here.port}`, `localhost:${here.port}`)).toBe(200)
  expect(await sent('https://team.example.org', 'team.example.org')).toBe(200)
  for (const origin of [
    'https://evil.example',
    `https://${here.host}`,
    `http://localhost:${here.port}`,
    'http://127.0.0.1',
  ])
    expect(await sent(origin), origin).toBe(400)
  expect(
    await sent('https://blobs.example.org', 'team.example.org'),
    'the blob store has no pages',
  ).toBe(400)
})

test('D-05 the token of an owner’s invitation reaches this project alone, also when its user joins others', async () => {
  const client = await start()
  const { projects, members } = client.service
  const other = projects.create('other').project_id
  const token = tokenIn(await accept(await invite(client)))
  members.add(email, other, 'owner')
  const bob = client.as({ token })
  expect((await bob.get('/v1/projects')).body.data).toMatchObject([
    { project_id: client.project_id },
  ])

  const link = members.add('eve@example.org', other, 'reader')!.url
  const eve = client.as({ token: tokenIn(await accept(link)) })
  members.add('eve@example.org', client.project_id, 'reader')
  expect((await eve.get('/v1/projects')).body.data).toHaveLength(2)
})

test('D-05 an invitation of a member changes the role, and its link gives no token', async () => {
  const client = await start()
  const bob = client.as({ token: tokenIn(await accept(await invite(client))) })
  const again = await invite(client, 'collaborator')
  expect((await bob.post('/v1/labels', { name: 'mine' })).status).toBe(201)
  for (const page of [await open(again), await accept(again)]) {
    expect(page).toMatchObject({
      status: 200,
      html: expect.stringContaining('<h1>You are a member of tests</h1>'),
    })
    expect(page.html).not.toMatch(/pat_|<form/)
  }
  expect((await bob.get(`/v1/projects/${client.project_id}/members`)).body.data).toMatchObject([
    { email, role: 'collaborator' },
  ])
})

test('D-05 an older link of a person who was added meanwhile gives neither a token nor the older role', async () => {
  const client = await start()
  const { members, users, tokens } = client.service
  const older = members.add(email, client.project_id, 'owner')!.url
  users.create(email)
  expect(members.add(email, client.project_id, 'reader')).toBeUndefined()
  expect((await accept(older)).html).not.toContain('pat_')
  const bob = client.as({ token: tokens.create('of bob', { user: email }).token })
  expect((await bob.get(`/v1/projects/${client.project_id}/members`)).body.data).toMatchObject([
    { role: 'reader' },
  ])
})

test('D-05 an owner who opens the link of a user gets no token of theirs, and finds nothing of a removed member', async () => {
  const client = await start()
  const bob = client.as({ token: tokenIn(await accept(await invite(client))) })
  await bob.post('/v1/memories', { content: 'mine alone', category: 'fact', importance: 1 })
  client.service.members.remove(email, client.project_id)
  expect((await bob.get('/v1/memories')).status).toBe(404)
  const { html } = await accept(await invite(client))
  expect(html).toContain('You are a user of this service already')
  expect(html).not.toContain('pat_')
  const { token } = client.service.tokens.create('again', { user: email })
  expect((await client.as({ token }).get('/v1/memories')).body.data).toEqual([])
})

test('D-05 an invitation survives a restart, and no file has its link', async () => {
  const data_dir = temporaryFolder()
  const before = await start({ data_dir })
  const { pathname } = new URL(await invite(before))
  await before.service.close()
  const files = readdirSync(data_dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bytes = Buffer.concat(
    files.map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )
  expect(bytes.includes(pathname.split('/').at(-1)!)).toBe(false)
  expect(bytes.includes(email)).toBe(true)
  const after = await start({ data_dir })
  expect(tokenIn(await accept(after.service.api + pathname))).toMatch(/^pat_/)
})

test('D-05 a link begins with the public address, also one with a path, and before the service has one there is none', async () => {
  const public_url = 'https://team.example.org/sluice'
  const client = await start({ public_url, public_blob_url: 'https://blobs.example.org' })
  const url = await invite(client)
  expect(url).toMatch(/^https:\/\/team\.example\.org\/sluice\/invitations\/[\w-]{43}$/)
  const by_command = client.service.members.add('eve@example.org', client.project_id, 'reader')!
  expect(by_command.url.startsWith(`${public_url}/invitations/`)).toBe(true)
  // The proxy takes the path away; the form goes back to the address that the browser shows.
  const { html } = await open(client.service.api + url.slice(public_url.length))
  expect(html).toContain('<form method="post"><button>')
})

test('D-05 a program that guesses is slowed down', async () => {
  const client = await start({ clock: new FakeClock() })
  const url = await invite(client)
  const guess = (at: number) => open(`${client.service.api}/invitations/${at}`)
  for (let at = 0; at < 20; at++) expect((await guess(at)).status).toBe(404)
  const slowed = await open(url)
  expect(slowed).toMatchObject({ status: 429, html: expect.stringContaining('try again in 1 s') })
  expect(slowed.headers.get('retry-after')).toBe('1')
})

test('D-05 a caller who uses up their own requests leaves those of others, also behind a proxy', async () => {
  const client = await start({ clock: new FakeClock(), public_url: 'https://sluice.example' })
  const url = (await invite(client)).replace('https://sluice.example', client.service.api)
  const by = (...named: string[]) => open(url, { headers: { 'x-forwarded-for': named.join(', ') } })
  for (let at = 0; at < 20; at++) expect((await by('10.0.0.1')).status).toBe(200)
  expect((await by('10.0.0.1')).status).toBe(429)
  expect((await by('10.0.0.2', '10.0.0.1')).status, 'a caller can write the first one').toBe(429)
  expect((await by('10.0.0.2')).status).toBe(200)
  for (let at = 0; at < 20; at++) expect((await by(`2001:db8:1:2::${at}`)).status).toBe(200)
  expect((await by('2001:db8:1:2::ffff')).status, 'of one client').toBe(429)
  expect((await open(url)).status).toBe(200)
})

test('D-05 a caller cannot name new addresses to a service without a proxy', async () => {
  const client = await start({ clock: new FakeClock() })
  const url = await invite(client)
  const statuses: number[] = []
  for (let at = 0; at < 21; at++)
    statuses.push((await open(url, { headers: { 'x-forwarded-for': `10.0.0.${at}` } })).status)
  expect(statuses).toEqual([...Array(20).fill(200), 429])
})

test('D-05 all callers together have a limit, too', async () => {
  const client = await start({ clock: new FakeClock(), public_url: 'https://sluice.example' })
  const url = (await invite(client)).replace('https://sluice.example', client.service.api)
  const statuses = new Set<number>()
  for (let at = 0; at < 201; at++)
    statuses.add((await open(url, { headers: { 'x-forwarded-for': `10.0.0.${at}` } })).status)
  expect([...statuses]).toEqual([200, 429])
})
