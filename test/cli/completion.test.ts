import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { complete } from '../../src/cli/complete.ts'
import { addToTree, makeTree } from '../tree.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const has_bash = spawnSync('bash', ['--version']).status === 0
let home: string

beforeEach(() => {
  home = makeTree({
    'sluice.yaml': `
service: { base_url: "https://assistant.example.com", project_id: project_0123456789abcdefghij }
folders: [{ name: notes, path: /srv/notes }, { name: night-scans, path: /srv/scans }]
prompts:
  - { name: weekly-digest, cron: "0 8 * * 1", prompt: "What is new?", scope: { folders: [notes] } }
`,
    'in the way/a file.txt': 'x',
  })
})

/** What a real bash answers to Tab at the end of a line; `words` as its readline splits them. */
function tab(...words: string[]): string[] {
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(program, join(home, 'bin/sluice'))
  const script = `
    source <(sluice completion bash)
    COMP_WORDS=(sluice "$@") COMP_CWORD=$# COMP_LINE="sluice $*" COMP_POINT=\${#COMP_LINE}
    _sluice_completion sluice
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: home,
    env: { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

test.skipIf(!has_bash).each([
  [['st'], ['status']],
  [
    ['ls', 'n'],
    ['notes', 'night-scans'],
  ],
  [['explain', 'in the way/a'], ['in the way/a file.txt']],
  [['prompts', 'run', ''], ['weekly-digest']],
  [['ask', '--intelligence', '=', 'ex'], ['expert']],
  [['--config', 'slu'], ['sluice.yaml']],
  [
    ['completion', ''],
    ['bash', 'zsh'],
  ],
])('a real bash, after %j and Tab: %j', (words, candidates) => expect(tab(...words)).toEqual(candidates))

test.skipIf(!has_bash)('bash takes the script for the program', () => {
  const line = `source <("${program}" completion bash); complete -p sluice`
  expect(spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' }).stdout).toBe(
    'complete -F _sluice_completion sluice\n',
  )
})

test('every command and every subcommand is offered, and nothing hidden', async () => {
  expect(await complete([''], commands)).toEqual(commands.map(({ usage }) => usage.split(' ')[0]))
  expect(await complete(['serve', 'token', ''], commands)).toEqual(['create', 'list', 'revoke'])
  expect(await complete(['completion', ''], commands)).toEqual(['bash', 'zsh'])
  expect(await complete(['completion', '--'], commands)).not.toContain('--words')
  expect(await complete(['ls', '--st'], commands)).toEqual(['--state'])
})

test('a faulty configuration, or none, costs its names alone', async () => {
  addToTree(home, { 'faulty.yaml': 'folders: 7' })
  for (const file of ['faulty.yaml', 'none.yaml']) {
    const words = ['--config', join(home, file), 'ls', '']
    expect(await complete(words, commands)).toEqual([':files'])
  }
  expect(await complete(['--config', join(home, 'sluice.yaml'), 'ls', 'no'], commands)).toEqual(['notes', ':files'])
})
