import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/base/run/errors.ts'
import { openFilesNeeded } from '../../../src/config/open-files.ts'
import { Home } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** A command that may have so many files open. */
function runWith(open_files: number, ...words: string[]) {
  const line = `ulimit -n ${open_files}; exec "$0" "$@"`
  const options = { encoding: 'utf8', timeout: 30_000 } as const
  const all = ['-c', line, process.execPath, program, ...words]
  const { status, stderr } = spawnSync('sh', all, options)
  return { code: status, err: stderr }
}

const page = { listen: 'off' } as Parameters<typeof openFilesNeeded>[0]['page']
const off = { folders: [], uploads: { concurrency: 16 }, page, health: { listen: 'off' } }
const served = { page: { ...page, listen: '127.0.0.1:1' }, health: { listen: '127.0.0.1:2' } }
test.each([
  ['nothing else', off, 176],
  ['ten folders', { ...off, folders: Array(10).fill({}) }, 296],
  ['200 uploads at once', { ...off, uploads: { concurrency: 200 } }, 728],
  ['page and health', { ...off, ...served }, 426],
])('a daemon with %s needs its number of open files', (_what, config, files) => {
  expect(openFilesNeeded(config as typeof off)).toBe(files)
})

test('too few open files are one sentence with the number, for each command', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  const config = ['--config', join(home.path, 'sluice.yaml')]
  for (const [words, open_files, needed] of [
    [['run', ...config], 150, 188],
    [['sync', ...config], 150, 188],
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

test('a fault at work for lack of open files names the limit', () => {
  const text = messageOf(new Error("EMFILE: too many open files, open '/a'"))
  expect(text).toMatch(/open '\/a': this process may have only \S+ open files \(raise ulimit -n, /)
  expect(messageOf(new Error('EMFILES'))).toBe('EMFILES')
})
