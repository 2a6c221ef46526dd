import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textWidth } from '../../../src/base/text/format.ts'
import { examplesOf } from '../../../src/cli/ask/examples.ts'
import { type ListedCommand, nameOf } from '../../../src/cli/command.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { barText } from '../../../src/cli/text/pass-meter.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import { openRig, project_id, stat } from '../../ledger/views/view-rig.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { realWait } from '../../rig/waiting.ts'
import { Home, settle_ms } from '../sluice.ts'

const widths = [40, 80, 200]
const long = `${'a very long name/'.repeat(9)}議事録・${'報告書'.repeat(20)}📈.txt`
let config: string

/** A ledger with a file in each state and long, wide names. */
async function fill(): Promise<void> {
  const home = makeStore()
  const root = makeTree({
    [long.slice(-60).replaceAll('/', '_')]: 'x',
    [`${'x'.repeat(200)}.tmp`]: 'x',
  })
  const state_dir = join(home, 'state')
  config = join(home, 'sluice.yaml')
  const prompt = {
    name: `weekly-${'digest-of-everything-'.repeat(2)}x`,
    cron: '0 8 * * 1',
    timezone: 'America/Argentina/ComodRivadavia',
    prompt: `What is ${'new and important '.repeat(20)}?`,
    scope: { folders: ['notes'] },
    deliver: [{ file: { dir: join(home, 'reports '.repeat(12).trim()) } }],
  }
  const service = { base_url: `https://${'assistant.'.repeat(12)}example.com`, project_id }
  const folders = [{ name: 'notes', path: root }]
  writeFileSync(config, JSON.stringify({ service, state_dir, folders, prompts: [prompt] }))
  const rig = await openRig({ root, state_dir })
  await rig.bringIn(`in/${long}`, { size: 1_500 })
  const error = {
    code: 'a.b',
    message: `it is ${'not at all readable '.repeat(12)}報告書`,
    hint: long,
  }
  await rig.record(
    { type: 'content_refused', content: await rig.settle(`no/${long}`), error },
    {
      type: 'file_skipped',
      folder: 'notes',
      path: `odd\n${long}`,
      stat: stat(0),
      reason: 'empty',
      rule: 'no bytes',
    },
    { type: 'trouble_began', about: 'account', error },
    {
      type: 'prompts_configured',
      prompts: [
        { name: prompt.name, project_id, schedule: '0 8 * * 1', first_run: 'all', folders: [] },
      ],
    },
    { type: 'run_due', prompt: prompt.name, due_ms: rig.clock.now_ms(), cause: 'schedule' },
    { type: 'run_skipped', run: 1, why: `nothing new in ${long}` },
  )
  await rig.closeLedger()
}

/** The output of a command on a terminal of this width. */
async function shown(
  words: readonly string[],
  columns: number,
  on: 'out' | 'err' = 'out',
): Promise<string[]> {
  let text = ''
  const stream = {
    isTTY: true,
    columns,
    write(part: string) {
      text += part
    },
  }
  const terminal = createTerminal({
    stdout: stream,
    stderr: { ...stream, isTTY: on === 'err' },
    no_color: true,
  })
  await runCli([...words], terminal, commands)
  return text.split('\n')
}

/** True if a line is meant to be copied: a command, or a line of the configuration. */
function isCopied(line: string, [command]: readonly string[]): boolean {
  return /^\s+(sluice|sudo) /.test(line) || (command === 'config' && !line.startsWith('#'))
}

function every(listed: readonly ListedCommand[], above: string[] = []): string[][] {
  return listed.flatMap(({ usage, subcommands = [] }) => {
    const path = [...above, nameOf(usage)]
    return [path, ...every(subcommands, path)]
  })
}

const reading = [
  ['status'],
  ['ls'],
  ['plan'],
  ['explain', `notes/no/${long}`],
  ['explain', `notes/in/${long}`],
  ['prompts', 'list'],
  ['prompts', 'next'],
  ['prompts', 'history', `weekly-${'digest-of-everything-'.repeat(2)}x`],
  ['prompts', 'show', '1'],
  ['config'],
]

test.each(widths)('the output of commands that read is no wider than %d columns', async (width) => {
  await fill()
  const wide = []
  for (const words of reading) {
    const lines = await shown([...words, '--config', config], width)
    expect(lines.length, words.join(' ')).toBeGreaterThan(1)
    for (const line of lines)
      if (textWidth(line) > width && !isCopied(line, words))
        wide.push(`${words.slice(0, 2)}: ${line}`)
  }
  expect(wide).toEqual([])
})

test.each(widths)(
  'the output of commands that change something is no wider than %d columns',
  async (width) => {
    await fill()
    const wide = []
    for (const words of [
      ['pause', '--why', 'the line is slow '.repeat(11)],
      ['resume'],
      ['retry'],
      ['accept', 'notes/in'],
      ['rescan'],
    ]) {
      const lines = await shown([...words, '--config', config], width)
      expect(lines.length, words.join(' ')).toBeGreaterThan(1)
      for (const line of lines) if (textWidth(line) > width) wide.push(`${words[0]}: ${line}`)
    }
    expect(wide).toEqual([])
  },
)

test.each(widths)(
  'warnings, backup and restore are no wider than %d columns, except paths',
  async (width) => {
    await fill()
    const [token, copy] = [join(dirname(config), 'token'), join(dirname(config), 'copy')]
    writeFileSync(token, `pat_${'x'.repeat(32)}`, { mode: 0o644 })
    const text = JSON.parse(readFileSync(config, 'utf8'))
    writeFileSync(
      config,
      JSON.stringify({ ...text, service: { ...text.service, token_file: token } }),
    )
    for (const words of [['config'], ['backup', copy], ['restore', copy]]) {
      const lines = [
        ...(await shown([...words, '--config', config], width)),
        ...(await shown([...words, '--config', config], width, 'err')),
      ]
      for (const line of lines.filter((line) => !isCopied(line, words))) {
        const longest = Math.max(...line.split(' ').map(textWidth))
        expect(textWidth(line), line).toBeLessThanOrEqual(Math.max(width, longest + 9))
      }
    }
  },
)

/** Lines wider than this, except those of a path, an address or an id to copy. */
function tooWide(lines: readonly string[], words: readonly string[], width: number): string[] {
  return lines.filter((line) => {
    const longest = Math.max(...line.split(' ').map(textWidth))
    return textWidth(line) > Math.max(width, longest + 9) && !isCopied(line, words)
  })
}

test.each([40, 80])('sync, verify and rebuild write no more than %d columns', async (width) => {
  const home = await Home.make({
    'a.txt': 'one',
    'photo.png': Buffer.from('\x89PNG\0\0', 'latin1'),
    'empty.txt': '',
  })
  const say = async (...words: string[]) => {
    const lines = await shown([...words, '--config', join(home.path, 'sluice.yaml')], width)
    expect(tooWide(lines, words, width)).toEqual([])
    return lines.join(' ').replace(/ +/g, ' ')
  }
  expect(await say('sync')).toContain('the service cannot read .png files')
  home.write({ 'b.txt': 'two' })
  // A file that has not settled is on the way.
  await realWait('a time by the clock of the disk', settle_ms)
  expect(await say('verify')).toContain('`sluice sync` takes up what is on disk')
  rmSync(join(home.path, 'state/ledger.db'))
  expect(await say('rebuild', '--dry-run')).toContain('compared with what the project has')
  expect(await say('rebuild')).toContain('the ledger is rebuilt')
  rmSync(join(home.path, 'docs'), { recursive: true })
  expect(await say('sync')).toContain('offline')
})

test('the messages of init beside the configuration fit into 40 columns', async () => {
  const width = 40
  const home = await Home.make({ 'a.txt': 'one', '~$lock.docx': 'x' })
  const file = join(home.path, 'made.yaml')
  const given = [
    '--base-url',
    home.service.api,
    '--token-file',
    join(home.path, 'token'),
    '--project',
    home.project_id,
  ]
  const words = [
    'init',
    ...given,
    '--folder',
    `docs=${join(home.path, 'docs')}`,
    '--yes',
    '--config',
    file,
  ]
  const lines = await shown(words, width)
  const made = readFileSync(file, 'utf8').split('\n')
  const said = lines.filter((line) => line === '' || !made.includes(line))
  // The path that follows is to be copied.
  expect(said).toContain('written:')
  expect(tooWide(said, words, width)).toEqual([])
})

test.each([20, 30, 40, 60, 80, 200])('the bar of a pass fits into %d columns', (width) => {
  const texts = {
    files: '1,234 of 5,678 files',
    bytes: '1.2 GB of 3.4 GB',
    rate: '12.3 files/s, 4.5 MB/s',
    left: '3 min left',
  }
  for (const progress of [0, 0.5, 1]) {
    const line = barText(progress, texts, width)
    expect(textWidth(line)).toBeLessThan(width)
    expect(line).toMatch(/^[\u2588\u2591]{8,}/)
    if (width >= 40) expect(line).toContain(texts.files)
    if (width >= 200) expect(line).toContain(texts.left)
  }
})

test.each(widths)('no help is wider than %d columns, except examples to copy', async (width) => {
  const wide = []
  for (const path of [[], ...every(commands)]) {
    const copied = examplesOf(path).map(([line]) => line.replace('$0', 'sluice'))
    for (const line of await shown([...path, '--help'], width)) {
      if (textWidth(line) > width && !copied.includes(line.trim()))
        wide.push(`${path.join(' ')}: ${line}`)
    }
  }
  expect(wide).toEqual([])
})

test.each(widths)('no error is wider than %d columns, except paths to copy', async (width) => {
  await fill()
  const faults = [
    ['rebuild'],
    ['reload'],
    ['backup', '.'],
    ['restore', 'nowhere'],
    ['ls', '--what'],
    ['install', '--instance', '-x'],
  ]
  for (const words of faults) {
    const lines = await shown([...words, '--config', config], width, 'err')
    // A long path starts the next line.
    expect(lines[0], words.join(' ')).toMatch(/^sluice:( |$)/)
    for (const line of lines) {
      const longest = Math.max(...line.split(' ').map(textWidth))
      expect(textWidth(line), line).toBeLessThanOrEqual(Math.max(width, longest + 8))
    }
  }
})
