import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { beforeEach, describe, expect, test } from 'vitest'
import { allCheckLines, doctorLines } from '../../../src/cli/commands/doctor.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import { startControl } from '../../../src/control/control-server.ts'
import type { Check } from '../../../src/inspect/doctor/check.ts'
import type { DoctorAnswer } from '../../../src/inspect/doctor/run-doctor.ts'
import { controlSocket } from '../../../src/ledger/file/state-directory.ts'
import { nothing_seen } from '../../ledger/fixture.ts'
import { openRig, project_id, type Rig, stat } from '../../ledger/views/view-rig.ts'
import { until } from '../../rig/waiting.ts'
import { idle_verbs } from '../idle-verbs.ts'

tmp.setGracefulCleanup()
const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
let home: string
let notes: string
let state_dir: string

beforeEach(() => {
  home = tmp.dirSync({ prefix: 'sluice-cli-', unsafeCleanup: true }).name
  notes = join(home, 'notes')
  state_dir = join(home, 'state')
  mkdirSync(join(notes, 'sub'), { recursive: true })
  const service = `service: { base_url: "https://assistant.example.com", project_id: ${project_id} }`
  const folders = `folders: [{ name: notes, path: ${notes}, exclude: ["*.bak"] }]`
  writeFileSync(join(home, 'sluice.yaml'), `${service}\n${folders}\nstate_dir: ${state_dir}\n`)
})

interface Ended {
  code: number | null
  out: string
  err: string
}

/**
 * Runs in this process: a process of its own costs half a second. The test of `--watch` runs the
 * real program.
 */
async function sluice(words: string[], cwd = home): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '' }
  const into = (stream: 'out' | 'err') => ({
    write(text: string) {
      ended[stream] += text
    },
  })
  const terminal = createTerminal({ stdout: into('out'), stderr: into('err'), no_color: true })
  const before = process.cwd()
  process.chdir(cwd)
  try {
    ended.code = await runCli([...words, '--config', join(home, 'sluice.yaml')], terminal, commands)
  } finally {
    process.chdir(before)
  }
  return ended
}

const rigHere = (): Promise<Rig> => openRig({ root: notes, state_dir })

async function scanned(rig: Rig): Promise<void> {
  const summary = { ...nothing_seen, files: 1, directories: 1, bytes: 1 }
  await rig.record({
    type: 'scan_finished',
    folder: 'notes',
    began_ms: rig.clock.now_ms(),
    summary,
  })
}

describe('sluice status', () => {
  test('before the first run: exit code 3, says how to begin, and creates nothing', async () => {
    const { code, out, err } = await sluice(['status'])
    expect([code, err]).toEqual([3, ''])
    expect(out).toContain('not scanned yet')
    expect(out).toContain('`sluice run`')
    expect(existsSync(state_dir)).toBe(false)
    expect((await sluice(['status', '--json'])).code).toBe(3)
  })

  test('exit codes 0, 3 and 77, with the ledger open and closed', async () => {
    const rig = await rigHere()
    await rig.bringIn('a.txt')
    await scanned(rig)
    expect(await sluice(['status'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('all ready: 1 file'),
    })
    await rig.settle('b.txt')
    expect((await sluice(['status'])).code).toBe(3)
    const error = {
      code: 'publicapi.auth.invalid',
      message: 'the service refuses the token',
      hint: 'renew it',
    }
    await rig.record({ type: 'trouble_began', about: 'account', error })
    await rig.closeLedger()
    const { code, out } = await sluice(['status'])
    expect(code).toBe(77)
    expect(out).toContain('the service refuses the token')
    expect(out).toContain('  renew it')
  })

  test('--json has a version; test/status checks the form', async () => {
    const rig = await rigHere()
    await rig.settle('a.txt')
    const { code, out } = await sluice(['status', '--json'])
    expect(code).toBe(3)
    const answer = JSON.parse(out)
    expect(answer).toMatchObject({
      version: 1,
      verdict: 'incomplete',
      daemon: { state: 'stopped' },
    })
    expect(Object.keys(answer)).toMatchSnapshot()
  })

  test('names a running daemon', async () => {
    await (await rigHere()).closeLedger()
    const control = await startControl({
      socket: controlSocket(state_dir),
      verbs: {
        ...idle_verbs,
        ping: async () => ({ pid: 4711, version: '9.9.9', mode: 'run' as const }),
      },
    })
    try {
      expect((await sluice(['status'])).out).toContain('daemon running, pid 4711, version 9.9.9')
    } finally {
      await control.close()
    }
    expect((await sluice(['status'])).out).toContain('no daemon is running')
  })

  test('--watch runs until it is stopped, and exits with the code of the last verdict', async () => {
    await scanned(await rigHere())
    const child = spawn(program, ['status', '--watch', '--json'], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
    })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    const end = new Promise((resolve) => child.on('close', resolve))
    await until('two lines', () => out.split('\n').length > 2)
    child.kill('SIGINT')
    expect(await end).toBe(0)
    for (const line of out.trim().split('\n')) expect(JSON.parse(line).version).toBe(1)
  })
})

describe('sluice ls', () => {
  async function filled(): Promise<void> {
    const rig = await rigHere()
    await rig.bringIn('sub/in.txt', { size: 1_500 })
    await rig.record({
      type: 'content_refused',
      content: await rig.settle('no.bin'),
      error: { code: 'a.b', message: 'not read' },
    })
    await rig.record({
      type: 'file_skipped',
      folder: 'notes',
      path: 'odd\nname',
      stat: stat(0),
      reason: 'empty',
      rule: 'no bytes',
    })
  }

  test('lists files as a table, by state and by path, and makes odd names visible', async () => {
    await filled()
    const { code, out } = await sluice(['ls'])
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      'STATE      SIZE  FILE              WHY',
      'refused    10 B  notes/no.bin      not read',
      'skipped     0 B  notes/odd\\nname   no bytes',
      'ready    1.5 kB  notes/sub/in.txt',
      '',
    ])
    expect((await sluice(['ls', '--state', 'refused,skipped'])).out.split('\n')).toHaveLength(4)
    expect((await sluice(['ls', 'notes/sub'])).out.split('\n')).toHaveLength(3)
    expect((await sluice(['ls', '.'], join(notes, 'sub'))).out).toContain('notes/sub/in.txt')
  })

  test('--json', async () => {
    await filled()
    const answer = JSON.parse((await sluice(['ls', '--json'])).out)
    expect(answer).toMatchSnapshot()
    expect(JSON.parse((await sluice(['ls', '--json', '--state', 'gone'])).out)).toEqual({
      version: 1,
      files: [],
    })
  })

  test('reports a wrong argument and says what to do', async () => {
    expect(await sluice(['ls'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('sluice run'),
    })
    await filled()
    expect(await sluice(['ls', '--state', 'redy'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('did you mean ready?'),
    })
    expect((await sluice(['ls', '--state', 'ignored'])).err).toMatch(
      /keeps no record of them\n {2}`sluice explain PATH` .* the states are settling, /,
    )
    expect(await sluice(['ls', 'notes/none'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('sluice explain'),
    })
    expect(await sluice(['ls', '/elsewhere'])).toMatchObject({ code: 64 })
  })
})

describe('sluice explain', () => {
  test('finds a file by its path, by FOLDER/PATH, and relative to the current directory', async () => {
    writeFileSync(join(notes, 'sub/x.bak'), 'x')
    for (const [word, cwd] of [
      [join(notes, 'sub/x.bak'), home],
      ['notes/sub/x.bak', '/'],
      ['x.bak', join(notes, 'sub')],
    ] as const) {
      const { code, out } = await sluice(['explain', word], cwd)
      expect(code).toBe(0)
      expect(out).toContain(
        'notes/sub/x.bak\n  ignored\n    ignored by the rule *.bak (config exclude)',
      )
    }
  })

  test('finds a file by its name, and names those that a name may mean', async () => {
    const rig = await rigHere()
    for (const path of ['tax/plan 2026.txt', 'tax/list.txt', 'list.txt']) await rig.bringIn(path)
    for (const name of ['plan 2026.txt', 'tax/plan 2026.txt', 'PLAN'])
      expect(await sluice(['explain', name])).toMatchObject({
        code: 0,
        out: expect.stringContaining('notes/tax/plan 2026.txt\n  ready'),
      })
    expect(await sluice(['explain', 'list.txt'])).toMatchObject({
      code: 64,
      err: expect.stringMatching(
        /list\.txt may be 2 files\n.*: notes\/list\.txt, notes\/tax\/list\.txt/,
      ),
    })
    expect((await sluice(['explain', '/elsewhere/list.txt'])).err).toContain(
      'is in no folder of the configuration',
    )
  })

  test('finds an ignored file of the first level and a deleted one by its bare name', async () => {
    const rig = await rigHere()
    await rig.bringIn('old plan.txt')
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'old plan.txt' })
    writeFileSync(join(notes, 'Thumbs.db'), 'x')
    expect(await sluice(['explain', 'Thumbs.db'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^notes\/Thumbs\.db\n {2}ignored\n {4}ignored by the rule Thumbs/),
    })
    expect((await sluice(['explain', 'old plan.txt'])).out).toMatch(
      /^notes\/old plan\.txt\n {2}gone/,
    )
    for (const name of ['nowhere.txt', 'sub/nowhere.txt'])
      expect(await sluice(['explain', name])).toMatchObject({
        code: 3,
        err: expect.stringMatching(
          /no file called .*nowhere\.txt is known in these folders: notes\n.*whole path, such as notes\/PATH/,
        ),
      })
  })

  test('names a known file and an ignored one of the first level that have one name', async () => {
    const rig = await rigHere()
    await rig.bringIn('sub/x.bak')
    await rig.bringIn('sub/late x.bak')
    writeFileSync(join(notes, 'x.bak'), 'x')
    for (const command of ['explain', 'ls', 'retry', 'accept'])
      expect(await sluice([command, 'x.bak'])).toMatchObject({
        code: 64,
        err: expect.stringMatching(
          /x\.bak may be 2 files\n.*: notes\/x\.bak, notes\/sub\/x\.bak\n/,
        ),
      })
  })

  test('finds a name of the first level in another case, and one that is not UTF-8', async () => {
    await rigHere()
    writeFileSync(join(notes, 'Überblick.bak'), 'x')
    writeFileSync(Buffer.from(`${notes}/bad\xff.txt`, 'latin1'), 'x')
    for (const name of ['überblick.bak', 'Überblick.bak', 'UBERBLICK.BAK', 'ÜBERBLICK.bak/'])
      expect((await sluice(['explain', name])).out).toMatch(/^notes\/Überblick\.bak\n {2}ignored/)
    for (const name of ['bad\\xff.txt', 'BAD\\xFF.txt', 'bad\ufffd.txt'])
      expect(await sluice(['explain', name])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^notes\/bad\\xff\.txt\n {2}special\n.*its name is not UTF-8/s),
      })
    expect((await sluice(['explain', 'berblick.bak'])).code).toBe(3)
  })

  test('takes the bare name of a directory for the directory, not for the file in it', async () => {
    const rig = await rigHere()
    await rig.bringIn('sub/closed/only.txt')
    mkdirSync(join(notes, 'sub/closed'), { recursive: true })
    for (const name of ['closed', 'sub/closed', 'CLOSED/'])
      expect(await sluice(['explain', name])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^notes\/sub\/closed\n {2}special\n {4}a directory; its files/),
      })
    expect((await sluice(['ls', 'closed'])).out).toContain('notes/sub/closed/only.txt')
  })

  test('takes a pattern, and counts the files that it does not name', async () => {
    const rig = await rigHere()
    for (let n = 10; n < 23; n++) await rig.bringIn(`talks/talk ${n}.txt`)
    await rig.bringIn('talks/only.md')
    expect((await sluice(['explain', '*.md'])).out).toMatch(/^notes\/talks\/only\.md\n {2}ready/)
    const { err } = await sluice(['explain', 'talk'])
    expect(err).toMatch(/talk may be 14 files\n.*talk 18\.txt' and 4 more/)
  })

  test('finds a file by its path on another machine, and says what to type instead', async () => {
    const rig = await rigHere()
    for (const path of ['tax/plan.txt', 'list.txt']) await rig.bringIn(path)
    for (const path of ['G:\\Team\\Tax\\PLAN.txt', '\\\\server\\team\\tax\\plan.txt'])
      expect((await sluice(['explain', path])).out).toContain('notes/tax/plan.txt\n  ready')
    const saysInstead: [path: string, said: string][] = [
      ['G:\\Team\\none.txt', 'give the path from the name of the folder on, such as notes/PATH'],
      ['NOTES/list.txt', 'there is no folder NOTES; did you mean notes/list.txt?'],
      [`notes/${'x'.repeat(4_200)}`, 'longer than any path can be: 4,206 bytes'],
    ]
    for (const [path, said] of saysInstead)
      expect(await sluice(['explain', path])).toMatchObject({
        code: 64,
        err: expect.stringContaining(said),
      })
    expect((await sluice(['retry', 'NOTES/list.txt'])).err).toContain(
      'did you mean notes/list.txt?',
    )
  })

  test('says of a path behind a link nothing but the link', async () => {
    await rigHere()
    symlinkSync('/etc', join(notes, 'way-out'))
    const { out } = await sluice(['explain', 'notes/way-out/passwd'])
    expect(out).toContain('it lies behind way-out, a symbolic link, which Sluice does not follow')
    expect(out).not.toMatch(/on disk|modified/)
    rmSync(join(notes, 'way-out'))
  })

  test('answers in JSON and as text', async () => {
    const rig = await rigHere()
    await rig.record({
      type: 'content_refused',
      content: await rig.settle('no.bin'),
      error: { code: 'a.b', message: 'not read' },
    })
    const answer = JSON.parse((await sluice(['explain', 'notes/no.bin', '--json'])).out)
    expect(answer).toMatchObject({
      version: 1,
      state: 'refused',
      last_error: { code: 'a.b', message: 'not read' },
    })
    const { out } = await sluice(['explain', 'notes/no.bin'])
    expect(out).toContain('\n  refused\n    not read\n')
    const [before_history = '', details] = out.split('\n  details\n')
    expect(before_history.match(/refused|not read/g)).toEqual(['refused', 'not read'])
    expect(details).toMatch(/^ {4}error code: a\.b\n/)
    expect(out).toContain(`sluice retry ${notes}/no.bin`)
  })

  test('does not call a file missing whose name is not UTF-8', async () => {
    writeFileSync(Buffer.concat([Buffer.from(join(notes, 'caf')), Buffer.from([0xe9])]), 'x')
    const { code, out } = await sluice(['explain', 'notes/caf\\xe9'])
    expect([code, out]).toEqual([0, expect.stringContaining('its name is not UTF-8')])
    expect(out).not.toContain('missing')
  })

  test('an unknown path ends with exit code 3; a path outside all folders with 64', async () => {
    expect(await sluice(['explain', 'notes/none'])).toMatchObject({
      code: 3,
      out: expect.stringContaining('the file does not exist, and Sluice never saw it'),
    })
    expect(await sluice(['explain', '/elsewhere/x'])).toMatchObject({ code: 64 })
  })
})

describe('sluice plan', () => {
  test('works without a ledger and creates none', async () => {
    writeFileSync(join(notes, 'a.txt'), 'hello')
    writeFileSync(join(notes, 'copy.txt'), 'hello')
    writeFileSync(join(notes, 'x.bak'), 'x')
    const { code, out, err } = await sluice(['plan'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('would be uploaded: 2 files (10 B)')
    expect(out).toContain('ignored 1 by *.bak (config exclude)')
    expect(existsSync(state_dir)).toBe(false)
    const hashed = JSON.parse((await sluice(['plan', '--hash', '--json'])).out)
    expect(hashed).toMatchObject({ version: 1, hashed: true, would_upload: { files: 1, bytes: 5 } })
  })

  test('names a token file that cannot be used, without a need of one', async () => {
    const token = join(home, 'token')
    const config = join(home, 'sluice.yaml')
    const text = readFileSync(config, 'utf8')
    writeFileSync(config, text.replace(' }', `, token_file: ${token} }`))
    const missing = await sluice(['plan'])
    expect(missing).toMatchObject({ code: 0, out: expect.stringContaining('would be uploaded') })
    expect(missing.err).toContain(`cannot read the token file ${token}: no such file or directory`)
    writeFileSync(token, 'Bearer SECRET', { mode: 0o600 })
    const { err } = await sluice(['plan'])
    expect(err).toMatch(/line 1 begins with a word such as "Bearer".*A plan needs no token/s)
    expect(err).not.toContain('SECRET')
  })

  test('an offline folder: exit code 3, with the reason', async () => {
    chmodSync(join(home, 'sluice.yaml'), 0o600)
    writeFileSync(
      join(home, 'sluice.yaml'),
      `service: { base_url: "https://assistant.example.com", project_id: ${project_id} }
folders: [{ name: away, path: ${home}/away }]
state_dir: ${state_dir}
`,
    )
    expect(await sluice(['plan'])).toMatchObject({
      code: 3,
      out: expect.stringContaining(`offline: ${home}/away does not exist (not mounted?)`),
    })
  })
})

test('accept reports an emptied project as accepted only if it was found empty', async () => {
  const rig = await rigHere()
  const contents: number[] = []
  for (let at = 0; at < 101; at++) contents.push(await rig.bringIn(`${at}.txt`))
  await rig.record({ type: 'audit_round_began', project_id })
  await rig.record({ type: 'assets_listed', project_id, round: 1, cursor: undefined, items: [] })
  await rig.record(...contents.map((content) => ({ type: 'asset_missing' as const, content })))
  await rig.record({
    type: 'audit_round_ended',
    project_id,
    round: 1,
    unanswered: 0,
    resend: false,
  })
  await rig.closeLedger()
  expect(await sluice(['accept', 'notes'])).toMatchObject({
    code: 0,
    out: 'notes: nothing is held back. Sluice accepts now that files of its project are gone on the service.\n',
  })
  expect((await sluice(['accept', 'notes'])).out).toBe('notes: nothing is held back\n')
})

describe('doctor', () => {
  const checks = [
    { id: 'config', level: 'ok', about: '/etc/sluice/sluice.yaml', message: 'in order' },
    { id: 'secret_files', level: 'warning', about: 'secret_files', message: 'readable by all' },
    { id: 'folder', level: 'ok', about: 'notes', message: 'readable' },
    { id: 'ledger', level: 'fault', about: '/x/ledger.db', message: 'damaged', hint: 'rebuild' },
    { id: 'md5', level: 'ok', about: 'md5', message: 'available' },
  ] as const
  const answer = (of: readonly Check[]): DoctorAnswer => {
    return { version: 1, at: '', config_file: null, faults: 1, warnings: 0, checks: [...of] }
  }

  test('begins with what is wrong, faults first, and counts what is fine', () => {
    expect(doctorLines(answer(checks), 80).map(({ text }) => text)).toEqual([
      '  FAULT   /x/ledger.db: damaged',
      '          rebuild',
      '  warning secret files: readable by all',
      '',
      '3 checks fine (`sluice doctor --all` lists every check)',
    ])
    expect(doctorLines(answer(checks.slice(0, 1)), 80).map(({ text }) => text)).toEqual([
      'all in order: 1 check (`sluice doctor --all` lists every check)',
    ])
  })

  test('--all lists every check by group, and its name once', () => {
    expect(allCheckLines(answer(checks), 80).map(({ text }) => text)).toEqual([
      'Configuration',
      '  ok      config: /etc/sluice/sluice.yaml: in order',
      '  warning secret_files: readable by all',
      '',
      'Folders',
      '  ok      folder: notes: readable',
      '',
      'State',
      '  FAULT   ledger: /x/ledger.db: damaged',
      '          rebuild',
      '',
      'Machine',
      '  ok      md5: available',
    ])
  })
})
