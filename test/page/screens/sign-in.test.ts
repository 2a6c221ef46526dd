import { expect, test } from 'vitest'
import { addUser, Browser, beginPage } from '../page-rig.ts'

test('a one-time link signs in once; the session ends with the sign-out', async () => {
  const { store, address } = await beginPage()
  const browser = new Browser(address)
  expect((await browser.get('/')).status).toBe(401)
  const link = store.makeLink()
  expect((await browser.get(`/link/${link}`)).text).toContain('It works once')
  expect((await browser.post('/link', { link })).status).toBe(303)
  expect((await browser.get('/')).text).toContain('Overview')
  const other = new Browser(address)
  expect((await other.post('/link', { link })).status).toBe(403)
  // It says so before a button is pressed.
  for (const gone of [link, 'nonsense']) {
    const { text } = await other.get(`/link/${gone}`)
    expect(text).toContain('This link was used already, or it is too old')
    expect(text).not.toContain('It works once')
  }
  await browser.post('/sign-out')
  expect((await browser.get('/')).status).toBe(401)
})

test('cookies are closed to scripts and other sites; a password that is wrong says nothing of the name', async () => {
  const { store, address } = await beginPage()
  await addUser(store, {
    name: 'ada',
    role: 'reader',
    folders: ['docs'],
    password: 'correct horse',
  })
  const browser = new Browser(address)
  const wrong = await browser.signIn('ada', 'wrong horse')
  const unknown = await browser.signIn('eve', 'wrong horse')
  expect([wrong.status, unknown.status]).toEqual([403, 403])
  expect(wrong.text.replace(/as-of.*/s, '')).toBe(unknown.text.replace(/as-of.*/s, ''))
  const right = await browser.signIn('ada', 'correct horse')
  expect(right.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/)
  expect((await browser.get('/')).text).toContain('ada')
})

test('an unknown address keeps the navigation of a user, and tells a stranger nothing', async () => {
  const { store, address } = await beginPage({ page: { base_url: 'http://127.0.0.1:1/sluice' } })
  const browser = new Browser(address)
  expect((await browser.get('/none')).text).not.toContain('<nav')
  await browser.post('/link', { link: store.makeLink() })
  for (const path of ['/none', '/runs/7', '/assets/a/b']) {
    const { status, text } = await browser.get(path)
    expect([path, status]).toEqual([path, 404])
    expect(text).toContain('<a href="/sluice/files">Files</a>')
    expect(text).toContain('Sign out')
  }
  expect((await browser.post('/none')).status).toBe(404)
  expect((await browser.get('/runs/7')).text).toMatch(/aria-current="page">Reports</)
  expect((await browser.get('/file?folder=docs&path=plan.txt')).text).toMatch(
    /aria-current="page">Files</,
  )
  expect((await fetch(new URL('/elsewhere', address))).status).toBe(404)
})

test('a removed user is out at once', async () => {
  const { store, address } = await beginPage()
  await addUser(store, { name: 'ada', role: 'reader', folders: 'all', password: 'correct horse' })
  const browser = new Browser(address)
  await browser.signIn('ada', 'correct horse')
  expect((await browser.get('/')).status).toBe(200)
  store.removeUser('ada')
  expect((await browser.get('/')).status).toBe(401)
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
])('a sign-in does not lead to %j', async (next) => {
  const { store, address } = await beginPage()
  await addUser(store, { name: 'ada', role: 'reader', folders: 'all', password: 'correct horse' })
  const { status, headers } = await new Browser(address).post('/sign-in', {
    name: 'ada',
    password: 'correct horse',
    next,
  })
  expect([status, headers.get('location')]).toEqual([303, '/'])
})
