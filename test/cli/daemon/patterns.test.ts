import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, until } from '../sluice.ts'

/** Another picture for each name; the service refuses all of them. */
const png = (name: string) => Buffer.from(`\x89PNG\0\0${name}`, 'latin1')

async function filled(): Promise<Home> {
  const names = ['x.png', 'contracts/y.png', 'contracts/2024/z.png', 'z[1].png', 'z1.png']
  const pictures = Object.fromEntries(names.map((name) => [name, png(name)]))
  const home = await Home.make({ 'a.txt': 'one', 'contracts/b.txt': 'two', ...pictures })
  expect((await home.inProcess('sync')).code).toBe(3)
  return home
}

async function listed(home: Home, ...words: string[]): Promise<string[]> {
  const { out, code } = await home.inProcess('ls', '--json', ...words)
  expect(code).toBe(0)
  return JSON.parse(out).files.map(({ path }: { path: string }) => path)
}

test('ls takes a pattern: at any depth without a slash, below the folder with one; an existing file is no pattern', async () => {
  const home = await filled()
  expect(await listed(home, '*.txt')).toEqual(['a.txt', 'contracts/b.txt'])
  expect(await listed(home, 'docs/*.txt')).toEqual(['a.txt'])
  expect(await listed(home, 'docs/**/*.txt')).toEqual(['a.txt', 'contracts/b.txt'])
  const below = ['contracts/2024/z.png', 'contracts/b.txt', 'contracts/y.png']
  expect(await listed(home, 'contracts/**')).toEqual(below)
  expect(await listed(home, join(home.path, 'docs/con*'))).toEqual(below)
  expect(await listed(home, 'contracts/**', '--state', 'refused')).toEqual(
    below.filter((path) => path.endsWith('png')),
  )
  expect(await listed(home, 'docs/z[1].png')).toEqual(['z[1].png'])
  expect(await listed(home, 'docs/z[0-9].png')).toEqual(['z1.png'])
  // Offline or deleted, it is still in the ledger.
  rmSync(join(home.path, 'docs/z[1].png'))
  expect(await listed(home, 'docs/z[1].png')).toEqual(['z[1].png'])
  expect((await home.inProcess('ls', '*.png')).out.match(/^refused/gm)).toHaveLength(5)

  expect(await home.inProcess('ls', '*.pdf')).toMatchObject({
    code: 64,
    out: '',
    err: expect.stringMatching(
      /\*\.pdf matches no file that Sluice knows\n.*`sluice ls` lists all known files/s,
    ),
  })
  expect(await listed(home, '*.pdf', '--state', 'refused')).toEqual([])
})

test('retry takes patterns, without a daemon and through one; what needs no retry is not sent', async () => {
  const home = await filled()
  const puts = () => home.service.requestLog.filter(({ place }) => place === 'put').length
  const before = puts()
  expect(await home.inProcess('retry', 'contracts/**', 'docs/z[1].png')).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^contracts\/\*\*: 2 files \(\d+ B\) will be tried again now\ndocs\/z\[1\]\.png: 1 file \(\d+ B\) will be/,
    ),
    err: expect.stringContaining('no daemon is running'),
  })
  expect((await home.inProcess('sync')).code).toBe(3)
  expect(puts()).toBe(before + 3)

  const daemon = await home.run()
  expect((await home.inProcess('retry', '*.png')).out).toMatch(
    /^\*\.png: 5 files \(\d+ B\) will be tried again now\n$/,
  )
  await until('all five were sent again', () => puts() === before + 8, daemon.err)
  expect((await home.inProcess('retry', '*.txt')).out).toBe(
    "*.txt: no file there waits for a retry; `sluice accept '*.txt'` uploads files of a refused type\n",
  )
  expect(await home.inProcess('retry', 'docs', '*.pdf')).toMatchObject({
    code: 64,
    out: '',
    err: expect.stringContaining('*.pdf matches no file that Sluice knows'),
  })
})

test('retry leaves files of a refused type and those over the upload limit to accept', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `${n}.png`)
  const home = await Home.make(Object.fromEntries(names.map((name) => [name, png(name)])))
  expect((await home.inProcess('sync')).code).toBe(3)
  home.write({ 'late.png': png('late') })
  expect((await home.inProcess('sync')).code).toBe(3)
  expect(await listed(home, '--state', 'blocked')).toEqual(['late.png'])
  expect((await home.inProcess('retry', 'l*.png')).out).toContain('no file there waits for a retry')
  expect((await home.inProcess('accept', 'docs/l*.png')).out).toMatch(
    /^docs\/l\*\.png: 1 file \(\d+ B\) will be uploaded now\n$/,
  )
  expect((await home.inProcess('retry', '*.png')).out).toMatch(
    /^\*\.png: 20 files \(\d+ B\) will be tried again now\n$/,
  )
})

test.each(['ls', 'retry', 'accept', 'ask', 'rescan'])(
  '%s refuses a pattern that only takes away, and says what `!` means',
  async (command) => {
    const home = await filled()
    home.write({ '!odd.txt': 'odd' })
    expect((await home.inProcess('sync')).code).toBe(3)
    const words = command === 'ask' ? ['ask', 'what?', '--path'] : [command]
    const { code, out, err } = await home.inProcess(...words, '!*.txt')
    expect([code, out]).toEqual([64, ''])
    const said =
      command === 'rescan'
        ? '!*.txt is in no folder of the configuration'
        : '"!" only takes away from what other patterns name'
    expect(err).toContain(said)
    if (command === 'ls') {
      expect(await listed(home, '\\!*.txt')).toEqual(['!odd.txt'])
      expect(await listed(home, 'docs/!odd.txt')).toEqual(['!odd.txt'])
      expect(await listed(home, 'docs/!*.txt')).toEqual(['!odd.txt'])
    }
  },
)

test('ls, retry and accept take a bare name as explain does', async () => {
  const tree = { 'sub/secret.txt': 'one', 'sub/old.txt': 'two', 'sub/bad.png': png('bad') }
  const home = await Home.make({ ...tree, 'Thumbs.db': 'x' })
  expect((await home.inProcess('sync')).code).toBe(3)
  rmSync(join(home.path, 'docs/sub/old.txt'))
  await home.inProcess('sync')
  expect(await listed(home, 'secret.txt')).toEqual(['sub/secret.txt'])
  expect(await listed(home, 'secre')).toEqual(['sub/secret.txt'])
  expect(await listed(home, 'old.txt', '--state', 'gone')).toEqual(['sub/old.txt'])
  expect(await listed(home, 'SUB/')).toEqual(['sub/bad.png', 'sub/secret.txt'])
  const saysOf: [words: string[], said: string][] = [
    [['retry', 'bad.png'], 'docs/sub/bad.png: 1 file'],
    [['retry', 'BAD.png', 'secret.txt'], 'docs/sub/secret.txt: no file there waits'],
    [['accept', 'secret.txt'], 'docs/sub/secret.txt: nothing is held back'],
    [['accept', 'sub', '--removals'], 'docs/sub: '],
    [['retry', 'thumbs.db'], 'docs/Thumbs.db: no file there waits for a retry'],
  ]
  for (const [words, said] of saysOf)
    expect(await home.inProcess(...words)).toMatchObject({
      code: 0,
      out: expect.stringContaining(said),
    })
  expect(await home.inProcess('ls', 'Thumbs.db')).toMatchObject({
    code: 64,
    err: expect.stringMatching(/nothing is known of Thumbs\.db\n.*explain PATH/),
  })
  for (const command of ['explain', 'ls', 'retry', 'accept'])
    expect(await home.inProcess(command, 'none.txt')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/no file called none\.txt is known in these folders: docs\n/),
    })
  // A part of a name is enough to read, and not to change something.
  for (const command of ['retry', 'accept'])
    expect((await home.inProcess(command, 'secre')).code).toBe(3)
})
