import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isNotRoot } from '../../rig/root-only.ts'
import { makeTree } from '../../rig/tree.ts'
import { Home } from '../sluice.ts'

const project = fileURLToPath(new URL('../../..', import.meta.url))
const nobody = 65_534

/**
 * Every command that reads or writes the state; none may treat "no permission" as "does not exist".
 */
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

/**
 * Another user may not reach this clone or its Node if they lie in a closed home. This is a copy
 * that everyone may run.
 */
function copyForEveryone(): { node: string; program: string } {
  const copy = makeTree()
  execFileSync('cp', [
    '-r',
    ...['dist', 'node_modules', 'package.json'].map((name) => join(project, name)),
    copy,
  ])
  const node = join(copy, 'node')
  cpSync(process.execPath, node)
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return { node, program: join(copy, 'dist/cli/main.js') }
}

test.skipIf(isNotRoot('another user'))(
  'commands of another user name the right user and end with 77, beside a daemon and without one',
  async (context) => {
    const home = await Home.of(context, { 'a.txt': 'one' })
    home.configure({
      prompts: [
        {
          name: 'digest',
          cron: '0 0 1 1 *',
          timezone: 'UTC',
          prompt: 'What is new?',
          scope: { folders: ['docs'] },
        },
      ],
    })
    chmodSync(home.path, 0o755)
    chmodSync(join(home.path, 'sluice.yaml'), 0o644)
    chownSync(join(home.path, 'token'), nobody, nobody)
    expect((await home.inProcess('sync')).code).toBe(0)
    const { node, program } = copyForEveryone()
    const asNobody = (words: readonly string[]) =>
      spawnSync(node, [program, ...words, '--config', join(home.path, 'sluice.yaml')], {
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
    const doctor = asNobody(['doctor', '--all'])
    expect([doctor.status, doctor.stdout]).toEqual([
      77,
      expect.stringMatching(/FAULT {3}ledger: .*not checked/),
    ])
    expect(doctor.stdout).toMatch(/FAULT {3}user: /)
    await home.run()
    for (const words of [['status'], ['pause'], ['reload']]) expect(asNobody(words).status).toBe(77)
  },
  120_000,
)
