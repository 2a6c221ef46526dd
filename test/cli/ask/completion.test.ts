import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { complete } from '../../../src/cli/ask/complete.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { capturedTerminal } from '../captured-terminal.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
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

/** The two ways that docs/operating.md names, as lines of a .zshrc. */
const zshrcs = {
  sourced: 'compinit -u -D\nsource <(sluice completion zsh)',
  found:
    'mkdir -p ~/functions && sluice completion zsh > ~/functions/_sluice\nfpath=(~/functions $fpath)\ncompinit -u -D',
}

/**
 * The completion of each line in a real zsh on its own terminal after Tab. The shell inserts all
 * matches (compstate of zshcompwid(1)), so that tests see several as well as one.
 */
function zshTabs(lines: readonly string[], zshrc: string): string[] {
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(program, join(home, 'bin/sluice'))
  const rc = `
    autoload -Uz compinit
    ${zshrc}
    _all() { _main_complete; compstate[insert]=all }
    zle -C all-matches complete-word _all
    report() { print -r -- "$BUFFER" >> ~/lines; BUFFER=''; print -n 'it is reported' }
    zle -N report
    zle-line-init() { print -n 'lines can be typed' }
    zle -N zle-line-init
    bindkey '^I' all-matches
    bindkey '^X' report`
  addToTree(home, { '.zshrc': rc })
  const person = `
    zmodload zsh/zpty
    zpty terminal zsh -i
    zpty -r terminal seen '*lines can be typed*'
    for line in "$@"; do
      zpty -w -n terminal "$line"$'\\t\\C-x'
      zpty -r terminal seen '*it is reported*'
    done
    zpty -w -n terminal $'\\C-d'
    while zpty -r terminal; do :; done > /dev/null
    cat ~/lines`
  const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', person, 'zsh', ...lines], {
    cwd: home,
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
    },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  return stdout.split('\n').map((line) => line.trimEnd())
}

test.skipIf(!has_zsh)('a real zsh completes each kind of word', () => {
  const every = commands.map(({ usage }) => usage.split(' ')[0]).sort()
  const becomes = {
    'sluice ': `sluice ${every.join(' ')}`,
    'sluice st': 'sluice status',
    'sluice ls n': 'sluice ls night-scans notes',
    'sluice explain in\\ the\\ way/a': 'sluice explain in\\ the\\ way/a\\ file.txt',
    'sluice prompts run ': 'sluice prompts run weekly-digest',
    'sluice ask --intelligence=ex': 'sluice ask --intelligence=expert',
    'sluice --config slu': 'sluice --config sluice.yaml',
    'sluice completion ': 'sluice completion bash zsh',
  }
  expect(zshTabs(Object.keys(becomes), zshrcs.sourced)).toEqual([...Object.values(becomes), ''])
})

test.skipIf(!has_zsh)('a real zsh loads the script from a directory of fpath', () => {
  expect(zshTabs(['sluice st'], zshrcs.found)).toEqual(['sluice status', ''])
})

/** The script that `sluice completion bash` prints. One test below shows that a shell loads it. */
async function bashScript(): Promise<string> {
  const { terminal, out } = capturedTerminal()
  expect(await runCli(['completion', 'bash'], terminal, commands)).toBe(0)
  return out()
}

/**
 * The completions that a real bash offers at the end of a line; `words` as its readline splits it.
 */
async function tab(...words: string[]): Promise<string[]> {
  mkdirSync(join(home, 'bin'), { recursive: true })
  symlinkSync(program, join(home, 'bin/sluice'))
  const script = `
    ${await bashScript()}
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
])('a real bash completes %j with %j', async (words, candidates) => {
  expect(await tab(...words)).toEqual(candidates)
})

test.skipIf(!has_bash)('bash loads the script that the program prints', () => {
  const line = `source <("${program}" completion bash); complete -p sluice`
  expect(spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' }).stdout).toBe(
    'complete -F _sluice_completion sluice\n',
  )
})

test('offers every command and subcommand, and no hidden one', async () => {
  expect(await complete([''], commands)).toEqual(commands.map(({ usage }) => usage.split(' ')[0]))
  expect(await complete(['serve', 'token', ''], commands)).toEqual(['create', 'list', 'revoke'])
  expect(await complete(['completion', ''], commands)).toEqual(['bash', 'zsh'])
  expect(await complete(['completion', '--'], commands)).not.toContain('--words')
  expect(await complete(['ls', '--st'], commands)).toEqual(['--state'])
  expect(await complete(['ask', '--no'], commands)).toEqual(['--no-public-data'])
  const scope = ['--folder', '--path', '--label', '--chat', '--concept', '--view', '--project']
  const offered = await complete(['ask', '--'], commands)
  expect(offered).toEqual(expect.arrayContaining([...scope, '--provider', '--skill']))
  expect(offered).not.toContain('--public-data')
})

test('without a valid configuration, only the names from it are missing', async () => {
  addToTree(home, { 'faulty.yaml': 'folders: 7' })
  for (const file of ['faulty.yaml', 'none.yaml']) {
    const words = ['--config', join(home, file), 'ls', '']
    expect(await complete(words, commands)).toEqual([':files'])
  }
  expect(await complete(['--config', join(home, 'sluice.yaml'), 'ls', 'no'], commands)).toEqual([
    'notes',
    ':files',
  ])
})
