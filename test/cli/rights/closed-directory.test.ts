import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { runUnprivileged } from '../../rig/unprivileged.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const config = (root: string) => `service:
  base_url: https://assistant.example.com
  project_id: project_0123456789abcdefghij
state_dir: ${root}/state
folders:
  - name: notes
    path: ${root}/homes
`

interface Answer {
  status: number
  stdout: string
  stderr: string
}

/**
 * Runs one command line without privileges, in a current directory that `spoil` has made unusable.
 */
function runIn(
  spoil: 'closed' | 'deleted',
  words: (root: string) => string[],
  at = 'xdg/sluice/sluice.yaml',
  env = {},
): Answer {
  const root = makeTree({ 'homes/a.txt': 'one', 'xdg/sluice/': '' })
  chmodSync(join(root, 'homes'), 0o777)
  writeFileSync(join(root, at), config(root))
  const script = `
    import { spawnSync } from 'node:child_process'
    import { chmodSync, mkdirSync, rmdirSync } from 'node:fs'
    const root = process.argv[2]
    const home = root + '/homes/closed'
    mkdirSync(home)
    process.chdir(home)
    const is_closed = ${spoil === 'closed'}
    if (is_closed) chmodSync(home, 0)
    else rmdirSync(home)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ${JSON.stringify([program, ...words(root)])},
      { encoding: 'utf8', env: { HOME: root, XDG_CONFIG_HOME: root + '/xdg', ...${JSON.stringify(env)} } },
    )
    if (is_closed) rmdirSync(home)
    console.log(JSON.stringify({ status, stdout, stderr }))`
  return runUnprivileged(script, root) as Answer
}

test('another user in a closed home gets the next configuration, and `config` names the skipped place', () => {
  const status = runIn('closed', () => ['status'])
  expect([status.status, status.stderr]).toEqual([3, ''])
  expect(status.stdout).toContain('no folder was scanned yet')
  const text = runIn('closed', () => ['config'])
  expect([text.status, text.stderr]).toEqual([0, ''])
  expect(text.stdout.replaceAll(/\n# +/g, ' ')).toMatch(
    /passed over, it cannot be read: \S*\/closed\/sluice\.yaml \(permission denied\)/,
  )
  const json = runIn('closed', () => ['config', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    file: expect.stringContaining('/xdg/sluice/sluice.yaml'),
    passed_over: [
      { file: expect.stringMatching(/\/closed\/sluice\.yaml$/), why: 'permission denied' },
    ],
  })
})

test('if no other place has a configuration, the error names the unreadable one', () => {
  const { status, stderr } = runIn('closed', () => ['status'], 'elsewhere.yaml')
  expect(status).toBe(78)
  expect(stderr).not.toContain('fault of Sluice')
  expect(stderr.replaceAll(/\n +/g, ' ')).toMatch(
    /no configuration that this user may read: .*\/sluice\.yaml \(cannot be read: permission denied\)/,
  )
})

test.each([
  ['--config', ['--config', 'sluice.yaml'], {}],
  ['SLUICE_CONFIG', [], { SLUICE_CONFIG: 'sluice.yaml' }],
])('a file that %s names is never skipped', (_by, options, env) => {
  const { status, stderr } = runIn('closed', () => ['status', ...options], undefined, env)
  expect(status).toBe(78)
  expect(stderr.replaceAll(/\n +/g, ' ')).toMatch(
    /cannot read \S*\/closed\/sluice\.yaml: permission denied/,
  )
})

test('the name of a folder finds its path, even from a closed directory inside that folder', () => {
  const { stdout, stderr } = runIn('closed', () => ['explain', 'notes/a.txt'])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^notes\/a\.txt/)
})

test('a file in a closed directory is explained by the directory and what to do; exit code 3', () => {
  const { status, stdout } = runIn('closed', () => ['explain', 'notes/closed/a.txt'])
  expect(status).toBe(3)
  expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(
    /\/homes\/closed cannot be read \(permission denied\).* setfacl -m u:USER:rx /,
  )
})

test('the commands work in a deleted directory, and a relative path gets an error message', () => {
  const { status, stderr, stdout } = runIn('deleted', () => ['status'])
  expect([status, stderr]).toEqual([3, ''])
  expect(stdout).toContain('no folder was scanned yet')
  const relative = runIn('deleted', () => ['status', '--config', 'sluice.yaml'])
  expect(relative.status).toBe(64)
  expect(relative.stderr).toMatch(
    /the current directory cannot be found: it was probably deleted\n.*cd ~/,
  )
  expect(
    runIn('deleted', (root) => ['status', '--config', join(root, 'xdg/sluice/sluice.yaml')]).status,
  ).toBe(3)
})
