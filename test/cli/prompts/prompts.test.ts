import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { beforeEach, describe, expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { hour_ms } from '../../../src/base/time/time.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { startControl } from '../../../src/control/control-server.ts'
import { controlSocket } from '../../../src/ledger/file/state-directory.ts'
import { openRig, project_id, type Rig } from '../../ledger/views/view-rig.ts'
import { type CapturedTerminal, capturedTerminal } from '../captured-terminal.ts'
import { idle_verbs } from '../idle-verbs.ts'
import { PromptRig } from './prompt-rig.ts'

tmp.setGracefulCleanup()
let home: string
let state_dir: string

function configure(...prompts: object[]): void {
  const config = {
    service: { base_url: 'https://assistant.example.com', project_id },
    state_dir,
    folders: [{ name: 'notes', path: join(home, 'notes') }],
    ...(prompts.length > 0 ? { prompts } : {}),
  }
  writeFileSync(join(home, 'sluice.yaml'), JSON.stringify(config))
}

const digest = {
  name: 'digest',
  cron: '0 8 * * 1',
  timezone: 'Europe/Berlin',
  prompt: 'What is new? {{files}}',
  scope: { folders: ['notes'] },
}

beforeEach(() => {
  home = tmp.dirSync({ prefix: 'sluice-prompts-', unsafeCleanup: true }).name
  state_dir = join(home, 'state')
  mkdirSync(join(home, 'notes'))
  configure(digest, { ...digest, name: 'log', cron: '0 * * * *', timezone: 'UTC' })
})

/** Runs in this process: a process of its own costs half a second. */
async function prompts(...words: string[]) {
  return promptsOn(capturedTerminal(), words)
}

async function promptsOn({ terminal, out, err }: CapturedTerminal, words: readonly string[]) {
  const code = await runCli(
    ['prompts', ...words, '--config', join(home, 'sluice.yaml')],
    terminal,
    commands,
  )
  return { code, out: out().replaceAll(home, 'HOME'), err: err() }
}

/** Three runs of `digest`: written, written over one more file, skipped. */
async function withRuns(): Promise<{ rig: Rig; one: number; two: number; skipped: number }> {
  const rig = await openRig({ state_dir })
  const runs = new PromptRig(rig)
  await runs.configure('digest', 'log')
  const began_ms = rig.clock.now_ms()
  const report_path = join(home, 'one.md')
  writeFileSync(report_path, '# Report\n\nit\u001b[2J begins\n')
  const targets = ['chat', 'mail']
  const answer = 'Intro\nthe lease ends in May\n'
  const one = await runs.written('digest', {
    due_ms: began_ms,
    answer,
    contents: [1, 2],
    report_path,
    targets,
  })
  await rig.record({ type: 'delivered', run: one, target: 'mail', output: 'sent\n\u001b[2Jto two' })
  const error = { code: 'webhook.status', message: 'it answered 503' }
  await rig.record({
    type: 'delivery_deferred',
    run: one,
    target: 'chat',
    not_before_ms: began_ms + hour_ms,
    error,
  })
  await rig.clock.advance(hour_ms)
  const two = await runs.written('digest', {
    due_ms: began_ms + hour_ms,
    answer: 'Intro\nthe lease ends in June\n',
    contents: [2, 3],
    report_path: join(home, 'two.md'),
  })
  const skipped = await runs.due('digest', began_ms + 2 * hour_ms, 'user')
  await rig.record({ type: 'run_skipped', run: skipped, why: 'nothing new' })
  return { rig, one, two, skipped }
}

describe('sluice prompts list', () => {
  test('keeps the weekday at 80 columns', async () => {
    const { out } = await promptsOn(capturedTerminal(80), ['list'])
    expect(out).toMatch(/^digest +Mondays at 08:00/m)
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('lists each prompt with its last run and its next time', async () => {
    await withRuns()
    const { code, out } = await prompts('list')
    expect(code).toBe(0)
    const [title, ...lines] = out.trimEnd().split('\n')
    expect(title).toMatch(/^PROMPT +WHEN +FOLDERS +LAST RUN +NEXT$/)
    expect(lines).toEqual([
      expect.stringMatching(
        /^digest +Mondays at 08:00 \(Europe\/Berlin\) +notes +3: skipped +\d{4}-\d\d-\d\d 08:00$/,
      ),
      expect.stringMatching(
        /^log +every hour at :00 \(UTC\) +notes +none yet +\d{4}-\d\d-\d\d \d\d:00$/,
      ),
    ])
    const answer = JSON.parse((await prompts('list', '--json')).out)
    for (const prompt of answer.prompts) prompt.next = Object.keys(prompt.next)
    expect(answer).toMatchSnapshot()
  })

  test('before any run, and without any prompts', async () => {
    expect((await prompts('list')).out).toContain('none yet')
    configure()
    expect(await prompts('list')).toEqual({
      code: 0,
      out: '',
      err: expect.stringContaining('no prompts are configured: add `prompts:`'),
    })
    expect(JSON.parse((await prompts('list', '--json')).out)).toEqual({ version: 1, prompts: [] })
  })
})

test('sluice prompts next: the next five times of each prompt, in its zone', async () => {
  const { code, out } = await prompts('next')
  expect(code).toBe(0)
  expect(out).toMatch(
    /^digest {2}Mondays at 08:00 \(Europe\/Berlin\)\n( {2}\d{4}-\d\d-\d\d 08:00\n){5}log {2}every hour/,
  )
  const answer = JSON.parse((await prompts('next', '--json')).out)
  expect(answer).toMatchObject({ version: 1, prompts: [{ name: 'digest' }, { name: 'log' }] })
  for (const { next } of answer.prompts) {
    expect(next).toHaveLength(5)
    for (const { at, local } of next) expect(Date.parse(local)).toBe(Date.parse(at))
  }
  expect(Object.keys(answer.prompts[0])).toEqual(['name', 'schedule', 'next'])
})

describe('sluice prompts history', () => {
  test('lists the newest run first, with reason and duration', async () => {
    await withRuns()
    const { code, out } = await prompts('history', 'digest')
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "RUN  DUE (Europe/Berlin)  STATE    FILES  TOOK  WHY
        3  2026-01-01 03:00     skipped      0   0 s  user: nothing new
        2  2026-01-01 02:00     written      2   0 s
        1  2026-01-01 01:00     written      2   0 s
      "
    `)
    expect(
      JSON.parse((await prompts('history', 'digest', '--limit', '2', '--json')).out),
    ).toMatchSnapshot()
  })

  test.each(['many', '0', '2.5', '10001'])(
    '--limit %s is refused with its bounds',
    async (limit) => {
      expect(await prompts('history', 'digest', '--limit', limit)).toEqual({
        code: 64,
        out: '',
        err: expect.stringContaining('--limit must be a whole number from 1 to 10000'),
      })
    },
  )

  test('a run whose clock was wrong took an unknown time', async () => {
    const { rig, two } = await withRuns()
    await rig.closeLedger()
    const database = new (sqliteDriver())(join(state_dir, 'ledger.db'))
    const began = 'UPDATE runs SET began_ms = ? WHERE id = ?'
    const { changes } = database.prepare(began).run(Date.UTC(1972, 0, 2), two)
    database.close()
    expect(changes).toBe(1)
    const { out } = await prompts('history', 'digest')
    expect(out).toMatch(/\n {2}2 .* an unknown time \(a clock was wrong\)/)
  })

  test('a prompt without runs, one that left the configuration, and an unknown one', async () => {
    expect(await prompts('history', 'log')).toMatchObject({
      code: 0,
      err: expect.stringContaining('has not run yet'),
    })
    await withRuns()
    configure({ ...digest, name: 'weekly' })
    expect((await prompts('history', 'digest')).out).toContain('written')
    expect(await prompts('history', 'wekly')).toMatchObject({
      code: 64,
      err: expect.stringMatching(/there is no prompt wekly\n {2}did you mean weekly\?/),
    })
    configure()
    rmSync(state_dir, { recursive: true })
    expect(await prompts('history', 'digest')).toMatchObject({
      code: 64,
      err: expect.stringContaining('no prompts are configured'),
    })
  })
})

describe('sluice prompts show', () => {
  test('shows the report, its coverage and its deliveries; nothing in it steers the terminal', async () => {
    const { one } = await withRuns()
    const { code, out, err } = await prompts('show', String(one))
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatchInlineSnapshot(`
      "digest, 2026-01-01 01:00 Europe/Berlin  run 1, written
      asked about 2 files; the service does not say which it read; names none of its 2 files
      report: HOME/one.md
      delivery chat: failed 1 time, tried again 2026-01-01 01:00: it answered 503
      delivery mail: delivered
        | sent
        | \\x1b[2Jto two
      ---
      # Report

      it\\x1b[2J begins
      "
    `)
    expect(JSON.parse((await prompts('show', String(one), '--json')).out)).toMatchSnapshot()
  })

  test('on a terminal it says title, time and coverage in words, and the front matter stays in the file', async () => {
    await withRuns()
    const report = '---\nname: "digest"\nfiles_ready: 2\n---\n\nThe lease of `a&amp;b.txt` ends.\n'
    writeFileSync(join(home, 'two.md'), report)
    const { out } = await promptsOn(capturedTerminal(80), ['show', 'digest'])
    expect(out).toMatchInlineSnapshot(`
      "digest, 2026-01-01 02:00 Europe/Berlin  run 2, written
      asked about 2 files; the service does not say which it read; names none of its 2
        files
      report: HOME/two.md

      The lease of a&amp;b.txt ends.
      "
    `)
    const piped = await prompts('show', 'digest')
    expect(piped.out).toContain(`---\n${report}`)
  })

  test('finds a run by its time; without its report it shows the answer; a skipped run', async () => {
    const { two } = await withRuns()
    const { out, err } = await prompts('show', 'digest@2026-01-01T02:00')
    expect(out).toContain(`digest, 2026-01-01 02:00 Europe/Berlin  run ${two}, written\n`)
    expect(out).toContain('the lease ends in June')
    expect(err).toContain('it is not there any more; this is the answer as the ledger keeps it')
    expect((await prompts('show', 'digest@2026-01-01T03:00+01:00')).out).toContain(
      'skipped: nothing new',
    )
  })

  test('a run by hand has no seconds in texts, and is found with and without them', async () => {
    const { rig } = await withRuns()
    const due_ms = rig.clock.now_ms() + 12_345
    await rig.record({ type: 'run_due', prompt: 'log', due_ms, cause: 'user' })
    const time = new Date(due_ms).toISOString().replace('Z', '+00:00')
    for (const written of [
      time,
      time.slice(0, 19),
      time.slice(0, 16),
      `${time.slice(0, 16)}+00:00`,
    ])
      expect((await prompts('show', `log@${written}`)).out).toBe(
        `log, ${time.slice(0, 16).replace('T', ' ')}  run 4, waiting for files\n`,
      )
  })

  test.each([
    ['7', 'there is no run 7'],
    ['digest@2027', 'there is no run digest@2027'],
    ['dagest', 'did you mean digest?'],
    ['digest@2026-01-01', 'may be 3 runs'],
    ['digets@2026-01-01', 'did you mean digest?'],
  ])('%s', async (text, why) => {
    await withRuns()
    expect(await prompts('show', text)).toMatchObject({
      code: 64,
      out: '',
      err: expect.stringContaining(why),
    })
  })
})

test('sluice prompts show NAME: the newest report, and what came after it', async () => {
  expect(await prompts('show', 'log')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/log has not run yet\n.*`sluice prompts run log` runs it now/),
  })
  const { rig, two } = await withRuns()
  const { code, out, err } = await prompts('show', 'digest')
  expect([code, out.split('\n')[0]]).toEqual([
    0,
    `digest, 2026-01-01 02:00 Europe/Berlin  run ${two}, written`,
  ])
  expect(err).toContain('a later run has no report: `sluice prompts history digest` says why')
  expect(JSON.parse((await prompts('show', 'digest', '--json')).out)).toMatchObject({ run: two })
  await rig.record({ type: 'run_due', prompt: 'log', due_ms: rig.clock.now_ms(), cause: 'user' })
  expect(await prompts('show', 'log')).toMatchObject({
    code: 0,
    out: expect.stringContaining('waiting for files'),
  })
})

test('without a name the only prompt is meant; several are listed', async () => {
  for (const verb of ['show', 'run'])
    expect(await prompts(verb)).toMatchObject({
      code: 64,
      err: expect.stringMatching(/which prompt\? There are several\n.*: digest, log/),
    })
  configure(digest)
  const { one } = await withRuns()
  expect((await prompts('show')).out).toContain(
    'digest, 2026-01-01 02:00 Europe/Berlin  run 2, written',
  )
  const line =
    'asked about 2 files; the service does not say which it read; names none of its 2 files'
  // The report says how complete it is, so the command does not.
  writeFileSync(join(home, 'one.md'), `# Report\n\n${line}\n`)
  expect((await prompts('show', String(one))).out.split(line)).toHaveLength(2)
  configure()
  expect((await prompts('show')).err).toContain('no prompts are configured')
})

test('sluice prompts run beside a single pass asks nothing', async () => {
  await (await openRig({ state_dir })).closeLedger()
  const control = await startControl({
    socket: controlSocket(state_dir),
    verbs: {
      ...idle_verbs,
      ping: async () => ({ pid: 4711, version: '9.9.9', mode: 'once' as const }),
    },
  })
  try {
    expect(await prompts('run', 'digest')).toEqual({
      code: 3,
      out: '',
      err: expect.stringContaining('a single pass is running (process 4711)'),
    })
  } finally {
    await control.close()
  }
})

test('sluice prompts diff: the differences of two answers, and the assets that were added and removed', async () => {
  const { one, two } = await withRuns()
  const { code, out } = await prompts('diff', String(one), String(two))
  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "--- digest@2026-01-01T01:00+01:00
    +++ digest@2026-01-01T02:00+01:00
    @@ -1,2 +1,2 @@
     Intro
    -the lease ends in May
    +the lease ends in June
    + asset notes/3.txt
    - asset notes/1.txt
    "
  `)
  expect(
    JSON.parse((await prompts('diff', String(one), String(two), '--json')).out),
  ).toMatchSnapshot()
  expect((await prompts('diff', String(one), String(one))).out).toBe('the answers are the same\n')
  expect((await prompts('diff', String(one), '99')).code).toBe(64)
})
