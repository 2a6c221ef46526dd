import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { openPageStore } from '../../../src/page/access/page-store.ts'
import { has_terminals, keys, PseudoTerminal } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'

test('a new password keeps role and folders; a name is one line', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const add = (...args: string[]) =>
    home.inProcess('page', 'user', 'add', ...args, '--password-file', `${home.path}/pw`)
  writeFileSync(join(home.path, 'pw'), 'correct horse battery\n', { mode: 0o600 })
  expect(await add('ada', '--role', 'operator', '--folder', 'docs')).toMatchObject({ code: 0 })
  expect((await add('ada')).out).toBe('ada may use the page as operator, and sees docs\n')
  expect((await home.inProcess('page', 'user', 'list')).out).toMatch(
    /ada +operator +docs +yes +no +0/,
  )
  for (const name of ['', ' ', 'a\nb', '\u001b[31m']) expect((await add(name)).code).toBe(64)
  expect(await home.inProcess('page', 'user', 'remove', 'ada')).toMatchObject({ code: 0 })
  expect((await home.inProcess('page', 'user', 'remove', 'ada')).code).toBe(64)
})

if (!has_terminals) console.warn('skipped: a terminal needs script(1) of util-linux')

test.skipIf(!has_terminals)('a password that is too short is asked for again', async (context) => {
  const home = await Home.of(context)
  const words = ['page', 'user', 'add', 'ada', '--config', join(home.path, 'sluice.yaml')]
  const terminal = new PseudoTerminal(words, { cwd: home.path })
  await terminal.on('Password:', `short${keys.enter}`)
  await terminal.on('at least 10 characters', ` but longer${keys.enter}`)
  await terminal.sees('ada may use the page as reader')
  expect(await terminal.ended).toBe(0)
})

test.skipIf(!has_terminals)(
  'Ctrl-C at the question for a password changes nothing, and is no fault',
  async (context) => {
    const home = await Home.of(context)
    const words = ['page', 'user', 'add', 'ada', '--config', 'sluice.yaml']
    const terminal = new PseudoTerminal(words, { cwd: home.path })
    context.onTestFinished(() => terminal.close())
    await terminal.on('Password:', keys.ctrl_c)
    await terminal.sees('stopped: nothing was changed')
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).not.toContain('fault of Sluice')
  },
)

test('another role or folder of a known user asks for no password, and ends no session', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const add = (...args: string[]) => home.inProcess('page', 'user', 'add', ...args)
  const store = openPageStore(join(home.path, 'state'), system_clock)
  context.onTestFinished(() => void store.close())
  store.putUser({ name: 'ada', role: 'reader', folders: 'all', password: 'scrypt$old' })
  store.keepSession('one', { user: 'ada' }, '{}')
  expect(await add('ada', '--role', 'operator')).toMatchObject({
    code: 0,
    out: 'ada may use the page as operator, and sees all folders; the password and open sessions stay\n',
  })
  expect((await add('ada', '--folder', 'docs')).code).toBe(0)
  expect(store.user('ada')).toMatchObject({
    role: 'operator',
    folders: ['docs'],
    password: 'scrypt$old',
  })
  expect(store.session('one')).toBe('{}')
  // Nothing else can be meant than a new password.
  expect((await add('ada')).err).toContain('a password is needed')
  expect((await add('eve', '--role', 'reader')).err).toContain('a password is needed')
  writeFileSync(join(home.path, 'pw'), 'correct horse battery\n', { mode: 0o600 })
  expect((await add('ada', '--password-file', `${home.path}/pw`)).out).toBe(
    'ada may use the page as operator, and sees docs\n',
  )
  expect(store.session('one'), 'a new password').toBeUndefined()
})

test('tokens and sessions can be seen and ended, also those of one-time links', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const store = openPageStore(join(home.path, 'state'), system_clock)
  context.onTestFinished(() => void store.close())
  store.putUser({ name: 'ada', role: 'reader', folders: 'all' })
  const list = async () => (await home.inProcess('page', 'user', 'list')).out
  const token = (await home.inProcess('page', 'token', 'ada')).out.trim()
  for (const id of ['one', 'two']) store.keepSession(id, { user: 'ada' }, '{}')
  store.keepSession('three', { by_link: true }, '{}')
  store.keepSession('four', {}, '{}')
  expect(await list()).toMatch(
    /ada +reader +all +no +yes +2\n\(by link\) +operator +all +no +no +1\n$/,
  )
  const remove = async () => (await home.inProcess('page', 'token', 'ada', '--remove')).out
  expect(await remove()).toBe('ada has no token any more\n')
  expect(await remove()).toBe('ada has no token\n')
  expect(store.userOfToken(token)).toBeUndefined()
  expect((await home.inProcess('page', 'logout', 'ada')).out).toBe('2 sessions of ada ended\n')
  const link = store.makeLink()
  expect((await home.inProcess('page', 'logout')).out).toBe('1 session of one-time links ended\n')
  expect(store.useLink(link)).toBe(false)
  expect(await list()).toMatch(/ada +reader +all +no +no +0\n$/)
  expect([store.session('one'), store.session('three'), store.session('four')]).toEqual([
    undefined,
    undefined,
    '{}',
  ])
  for (const words of [
    ['logout', 'eve'],
    ['token', 'eve', '--remove'],
  ])
    expect((await home.inProcess('page', ...words)).code, words.join()).toBe(64)
})

test('a new token says where agents send it, and of an earlier one only if it ended', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const store = openPageStore(join(home.path, 'state'), system_clock)
  context.onTestFinished(() => void store.close())
  store.putUser({ name: 'ada', role: 'reader', folders: 'all' })
  const file = join(home.path, 'sluice.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  const token = async (page: object) => {
    writeFileSync(file, JSON.stringify({ ...config, page }))
    return (await home.inProcess('page', 'token', 'ada')).err
  }
  const listen = '127.0.0.1:8470'
  const off = 'nothing takes it while the page is off: `sluice page` says how to turn it on\n'
  expect(await token({})).toBe(`it is shown this once\n${off}`)
  const again = 'it is shown this once; the earlier token of this user has ended\n'
  for (const [page, where] of [
    [{ listen }, `http://${listen}/mcp`],
    [{ listen, base_url: 'https://example.com/sluice/' }, 'https://example.com/sluice/mcp'],
    [{ listen: `unix:${home.path}/page.sock` }, '/mcp below the address of the page'],
    [
      { listen: '0.0.0.0:8470', proxy: { from: ['10.0.0.1'] } },
      '/mcp below the address of the page',
    ],
  ] as const)
    expect(await token(page)).toBe(`${again}agents send it to ${where}\n`)
})
