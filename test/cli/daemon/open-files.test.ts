import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/base/run/errors.ts'
import type { Config } from '../../../src/config/config.ts'
import { openFilesNeeded } from '../../../src/config/open-files.ts'
import { Home, until } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** A command that may have so many files open. */
function runWith(open_files: number, ...words: string[]) {
  const line = `ulimit -n ${open_files}; exec "$0" "$@"`
  const options = { encoding: 'utf8', timeout: 30_000 } as const
  const all = ['-c', line, process.execPath, program, ...words]
  const { status, stderr } = spawnSync('sh', all, options)
  return { code: status, err: stderr }
}

const page = { listen: 'off' }
const off = { folders: [], uploads: { concurrency: 16 }, page, health: { listen: 'off' } }
const served = { page: { ...page, listen: '127.0.0.1:1' }, health: { listen: '127.0.0.1:2' } }
test.each([
  ['nothing else', off, 'run', 176],
  ['ten folders', { ...off, folders: Array(10).fill({}) }, 'run', 236],
  ['200 uploads at once', { ...off, uploads: { concurrency: 200 } }, 'run', 728],
  ['page and health', { ...off, ...served }, 'run', 426],
  ['page and health, which a pass does not serve', { ...off, ...served }, 'once', 176],
] as const)('a daemon with %s needs its number of open files', (_what, config, mode, files) => {
  expect(openFilesNeeded(config as unknown as Config, mode)).toBe(files)
})

test('too few open files are one sentence with the number, for each command', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  const config = ['--config', join(home.path, 'sluice.yaml')]
  for (const [words, open_files, needed] of [
    [['run', ...config], 150, 182],
    [['sync', ...config], 150, 182],
    [['run', ...config], 60, 128],
    [['serve', '--data-dir', join(home.path, 'served')], 60, 128],
    [['status', ...config], 60, 128],
  ] as const) {
    const { code, err } = runWith(open_files, ...words)
    const last = err.trimEnd().split('\n').slice(-2).join(' ')
    expect(last).toMatch(
      `needs ${needed} open files at once, and this process may have only ${open_files}`,
    )
    expect(last).toMatch(/ulimit -n 1024; in a unit LimitNOFILE=1024$/)
    expect([code, err], words.join(' ')).toEqual([1, expect.not.stringContaining('    at ')])
  }
})

test('a pass needs no open files for the page and the health, which a daemon serves', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  const file = join(home.path, 'sluice.yaml')
  const served = { page: { listen: '127.0.0.1:0' }, health: { listen: '127.0.0.1:0' } }
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...served }))
  expect(runWith(200, 'run', '--config', file).err).toContain('needs 432 open files at once')
  expect(runWith(150, 'sync', '--config', file).err).toContain('needs 182 open files at once')
})

test('a reload that needs too many open files is refused, and the daemon works on', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const line = 'ulimit -n 200; exec "$0" "$@"'
  const words = [program, 'run', '--config', join(home.path, 'sluice.yaml')]
  const child = spawn('sh', ['-c', line, process.execPath, ...words])
  context.onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  await until(
    'it is at work',
    () => home.readyAssets() === 1,
    () => err,
  )
  const folders = [1, 2, 3, 4].map((nth) => ({ name: `more-${nth}`, path: `${home.path}/${nth}` }))
  for (const { path } of folders) mkdirSync(path)
  home.configure({ folders })
  child.kill('SIGHUP')
  const refusal = 'the new configuration needs 206 open files at once'
  await until(
    'the reload is refused',
    () => err.includes(refusal),
    () => err,
  )
  home.write({ 'b.txt': 'two' })
  await until(
    'it works on',
    () => home.readyAssets() === 2,
    () => err,
  )
})

test('a fault at work for lack of open files names the limit', () => {
  const text = messageOf(new Error("EMFILE: too many open files, open '/a'"))
  expect(text).toMatch(/open '\/a': this process may have only \S+ open files \(raise ulimit -n, /)
  expect(messageOf(new Error(text)), 'once').toBe(text)
  expect(messageOf(new Error('EMFILES'))).toBe('EMFILES')
})
