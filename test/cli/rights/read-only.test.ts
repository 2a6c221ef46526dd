import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeStore } from '../../rig/tree.ts'
import { Home } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
/** Command that makes this directory read-only in its own namespaces. */
const read_only = [
  '-Urm',
  'sh',
  '-c',
  'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"',
  'sh',
]
const may_mount = spawnSync('unshare', [...read_only, makeStore(), 'true']).status === 0
if (!may_mount)
  console.warn('a state that is read-only is not tried: no namespace of its own can be made here')

test.skipIf(!may_mount)(
  'a read-only state directory is reported as such, not as a missing permission, and can be read',
  async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    expect((await home.inProcess('sync')).code).toBe(0)
    const sluice = (word: string) =>
      spawnSync(
        'unshare',
        [
          ...read_only,
          join(home.path, 'state'),
          process.execPath,
          program,
          word,
          '--config',
          join(home.path, 'sluice.yaml'),
        ],
        { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home.path } },
      )
    for (const word of ['run', 'sync', 'pause']) {
      const { status, stderr } = sluice(word)
      // Any code but 77 makes systemd restart the daemon until the disk is back.
      expect([word, status, stderr]).toEqual([
        word,
        1,
        expect.stringMatching(/^sluice: nothing can be recorded: .*read-only/),
      ])
      expect(stderr).toContain('dmesg')
    }
    for (const word of ['status', 'ls'])
      expect(sluice(word)).toMatchObject({ status: 0, stderr: '' })
  },
)
