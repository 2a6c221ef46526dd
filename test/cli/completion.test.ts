import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { complete } from '../../src/cli/complete.ts'
import { addToTree, makeTree } from '../tree.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const has_bash = spawnSync('bash', ['--version']).status === 0
const has_zsh = spawnSync('zsh', ['--version']).status === 0
for (const [shell, is_there] of Object.entries({ bash: has_bash, zsh: has_zsh })) {
  if (!is_there) console.warn(`the completion of ${shell} is not tried: ${shell} is not installed`)
}
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

/** The two ways that docs/operating.md names, as they stand in a .zshrc. */
const zshrcs = {
  'sourced after compinit': 'compinit -u -D\nsource <(sluice completion zsh)',
  'from a directory of fpath':
    'mkdir -p ~/functions && sluice completion zsh > ~/functions/_sluice\nfpath=(~/functions $fpath)\ncompinit -u -D',
}

/**
 * What a line becomes when somebody types it, and Tab, at the prompt of a real zsh on a terminal of its own: all matches are put in
 * (compstate of zshcompwid(1)), so that several are seen as well as one.
 */
function zshTab(typed: string, zshrc: string): string {
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(program, join(home, 'bin/sluice'))
  const rc = `
    autoload -Uz compinit
    ${zshrc}
    _all() { _main_complete; compstate[insert]=all }
    zle -C all-matches complete-word _all
    tell() { print -r -- "$BUFFER" > ~/line; exit }
    zle -N tell
    zle-line-init() { print -n 'the line can be typed' }
    zle -N zle-line-init
    bindkey '^I' all-matches
    bindkey '^X' tell`
  addToTree(home, { '.zshrc': rc })
  const person = `
    zmodload zsh/zpty
    zpty terminal zsh -i
    zpty -r terminal seen '*the line can be typed*'
    zpty -w -n terminal "$1"$'\\t\\C-x'
    while zpty -r terminal; do :; done > /dev/null
    cat ~/line`
  const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', person, 'zsh', typed], {
    cwd: home,
    env: { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, TERM: 'xterm', LANG: 'C.UTF-8' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  return stdout.trimEnd()
}

describe.skipIf(!has_zsh).each(Object.entries(zshrcs))('a real zsh, %s', (_how, zshrc) => {
  test.each([
    ['sluice st', 'sluice status'],
    ['sluice ls n', 'sluice ls night-scans notes'],
    ['sluice explain in\\ the\\ way/a', 'sluice explain in\\ the\\ way/a\\ file.txt'],
    ['sluice prompts run ', 'sluice prompts run weekly-digest'],
    ['sluice ask --intelligence=ex', 'sluice ask --intelligence=expert'],
    ['sluice --config slu', 'sluice --config sluice.yaml'],
    ['sluice completion ', 'sluice completion bash zsh'],
  ])('after %j and Tab: %j', (typed, line) => expect(zshTab(typed, zshrc)).toBe(line))

  test('every command is offered', () => {
    expect(zshTab('sluice ', zshrc).split(' ').slice(1)).toEqual(
      commands.map(({ usage }) => usage.split(' ')[0]).sort(),
    )
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
