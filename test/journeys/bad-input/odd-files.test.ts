import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFifo, makeSocket, writeRawFile } from '../../disk/odd-entries.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore } from '../../rig/tree.ts'
import { SluiceHome } from './sluice-home.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ data_dir: makeStore() })
})

afterAll(() => service.close())

const outside_text = 'TOP SECRET, AND NOT IN THE FOLDER'
/** Names that some program has given to a file. */
const odd_names = [
  'new\nline.txt',
  'carriage\r.txt',
  'tab\t.txt',
  '"double" \'single\' `back`.txt',
  'back\\slash.txt',
  '$(touch stolen).txt',
  '%s%n.txt',
  'a?signature=b&c.txt',
  '\u{1F600} emoji.txt',
  '\u202egnp.txt',
  '\u001b[31mred\u001b[0m.txt',
  '\ufffd.txt',
  'e\u0301.txt',
  '\u00e9.txt',
  ' leading and trailing ',
  '-rf',
  `${'n'.repeat(251)}.txt`,
  `${'\u{1F600}'.repeat(63)}.tx`,
]

test('names and entries of every kind: valid files become ready under their names, the others are reported, nothing hangs', async () => {
  const home = new SluiceHome(
    Object.fromEntries(odd_names.map((name, at) => [name, `file number ${at}`])),
  )
  const project_id = home.use(service)
  const docs = home.at('docs')
  writeRawFile(docs, 'caf\xe9.txt', 'the name is latin1')
  home.write({ 'zero.txt': '', 'huge.bin': { bytes: 5 * 2 ** 30 } })
  makeFifo(docs, 'fifo')
  makeFifo(docs, 'pipe.txt')
  const socket = await makeSocket(docs, 'socket')
  mkdirSync(home.at('outside'))
  writeFileSync(home.at('outside/secret.txt'), outside_text)
  symlinkSync('.', home.at('docs/loop'))
  symlinkSync('../docs', home.at('docs/up'))
  symlinkSync('../outside/secret.txt', home.at('docs/link.txt'))
  symlinkSync('../outside', home.at('docs/directory'))
  symlinkSync('/proc/self/environ', home.at('docs/environment.txt'))
  symlinkSync('nowhere', home.at('docs/dangling.txt'))
  const deep = `${'d'.repeat(200)}/`.repeat(15)
  home.write({ [`${deep}deep.txt`]: 'deep down' })

  const { code, out, err } = await home.sluice(['sync'])
  socket.close()
  // Every valid file is uploaded. The name that is not UTF-8 is left to the user.
  expect(code, err).toBe(3)
  expect(out).toContain('caf\\xe9.txt')
  expect(home.stages()).toEqual({
    ...Object.fromEntries(odd_names.map((name) => [name, 'ready'])),
    [`${deep}deep.txt`]: 'ready',
    'zero.txt': 'skipped empty',
    'huge.bin': 'skipped too_large',
  })
  const assets = service.assets(project_id)
  const texts = assets.map(({ asset_id }) => service.readBlob(asset_id).toString())
  expect(texts.sort()).toEqual(
    [...odd_names.map((_, at) => `file number ${at}`), 'deep down'].sort(),
  )
  const names = assets.map(({ filename }) => filename)
  for (const name of odd_names) if (name.length < 200) expect(names).toContain(`docs/${name}`)
  for (const name of names) expect([...name].length).toBeLessThanOrEqual(255)

  // A name may contain anything, but the output must not steer a terminal.
  const config = ['--config', home.at('sluice.yaml')]
  const ls = await home.inProcess(['ls', ...config])
  const plan = await home.inProcess(['plan', ...config])
  const status = await home.inProcess(['status', '--json', ...config])
  for (const text of [out, err, ls.out, plan.out]) {
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('\u202e')
  }
  const summary = JSON.parse(status.out).folders[0].last_scan
  expect(summary.odd_names).toEqual([expect.stringContaining('caf\\xe9')])
  expect(summary.special).toEqual(
    expect.arrayContaining([
      { kind: 'symlink', count: 6 },
      { kind: 'fifo', count: 2 },
      { kind: 'socket', count: 1 },
    ]),
  )
  const why = await home.sluice(['explain', 'docs/huge.bin'])
  expect(why.out).toContain('it is larger than 4.3 GB (folders.docs.max_file_bytes)')
  expect((await home.inProcess(['explain', 'docs/link.txt', ...config])).out).toMatch(/link/)
  expect((await home.inProcess(['explain', 'docs/fifo', ...config])).out).toMatch(/fifo|pipe/i)
}, 60_000)

test('an unreadable file is reported and tried again; the others are uploaded', async () => {
  const home = new SluiceHome({
    'open.txt': 'may be read',
    'closed.txt': 'may not be read',
    'vault/in.txt': 'hidden',
  })
  const project_id = home.use(service, { top: { state_dir: home.at('users/state') } })
  mkdirSync(home.at('users'), { mode: 0o777 })
  chmodSync(home.at('users'), 0o777)
  chmodSync(home.at('token'), 0o644)
  for (const name of ['docs/closed.txt', 'docs/vault']) chmodSync(home.at(name), 0)
  const first = await home.sluice(['sync'], { unprivileged: true })
  expect(first.code, first.err).toBe(3)
  const explained = await home.sluice(['explain', 'docs/closed.txt'], { unprivileged: true })
  expect(explained.out).toMatch(/this user may not read it/)
  expect((await home.sluice(['status', '--json'], { unprivileged: true })).out).toContain('vault')
  expect(service.assets(project_id).map(({ filename }) => filename)).toEqual(['docs/open.txt'])

  chmodSync(home.at('docs/closed.txt'), 0o644)
  chmodSync(home.at('docs/vault'), 0o755)
  const second = await home.sluice(['sync'], { unprivileged: true })
  expect(second.code, second.err).toBe(0)
  expect(service.assets(project_id)).toHaveLength(3)

  // A known file below a closed directory keeps its times, so a scan finds no difference.
  chmodSync(home.at('docs/vault'), 0)
  const closed = await home.sluice(['sync'], { unprivileged: true })
  expect([closed.code, closed.out]).toEqual([3, expect.stringContaining('cannot be opened')])
  chmodSync(home.at('docs/vault'), 0o755)
  const opened = await home.sluice(['sync'], { unprivileged: true })
  expect([opened.code, opened.out]).toEqual([0, expect.not.stringContaining('cannot be opened')])
}, 60_000)
