import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Home } from './sluice.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const nobody = 65_534
const is_root = process.getuid?.() === 0
if (!is_root) process.stderr.write('skipped: another user can only be played by root\n')

/** Every command that reads or writes what is kept; none may take "no right" for "nothing there". */
const commands = [
  ['status'],
  ['ls'],
  ['explain', 'docs/a.txt'],
  ['retry'],
  ['accept', 'docs'],
  ['sync'],
  ['run'],
  ['pause'],
  ['resume'],
  ['rescan'],
  ['reload'],
  ['prompts', 'list'],
  ['prompts', 'history', 'digest'],
]

test.runIf(is_root)(
  'another user is told whom to be, beside a daemon and without one: 77',
  async (context) => {
    const home = await Home.of(context, { 'a.txt': 'one' })
    home.configure({
      prompts: [
        { name: 'digest', cron: '0 0 1 1 *', timezone: 'UTC', prompt: 'What is new?', scope: { folders: ['docs'] } },
      ],
    })
    chmodSync(home.path, 0o755)
    chmodSync(join(home.path, 'sluice.yaml'), 0o644)
    chownSync(join(home.path, 'token'), nobody, nobody)
    expect((await home.inProcess('sync')).code).toBe(0)
    const asNobody = (words: readonly string[]) =>
      spawnSync(process.execPath, [program, ...words, '--config', join(home.path, 'sluice.yaml')], {
        encoding: 'utf8',
        cwd: '/',
        env: { PATH: process.env.PATH, HOME: '/nonexistent' },
        uid: nobody,
        gid: nobody,
      })
    for (const words of commands) {
      const { status, stderr } = asNobody(words)
      expect([words.join(' '), status, stderr]).toEqual([
        words.join(' '),
        77,
        expect.stringContaining('this user may not'),
      ])
      expect(stderr).toContain('sudo -u root sluice')
    }
    const doctor = asNobody(['doctor'])
    expect([doctor.status, doctor.stdout]).toEqual([77, expect.stringMatching(/FAULT {3}ledger: .*not looked at/)])
    expect(doctor.stdout).toMatch(/FAULT {3}user: /)
    await home.run()
    for (const words of [['status'], ['pause'], ['reload']]) expect(asNobody(words).status).toBe(77)
  },
  120_000,
)
