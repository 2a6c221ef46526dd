import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Home, until } from '../../cli/sluice.ts'
import { cannotHang, mountThatHangs } from '../../disk/hung-mount.ts'
import { test_certificate } from '../../remote/test-certificate.ts'

/** Two seconds for the path, and the start of some twenty processes at once on a busy machine. */
const max_command_ms = 25_000

/** A home with a healthy folder `docs` and a folder `sick` on a mount that hangs. */
async function makeHome() {
  const home = await Home.make({ 'a.txt': 'one' })
  const place = join(home.path, 'sick')
  const mount = await mountThatHangs(join(home.path, 'sick-disk'), place)
  writeFileSync(join(home.path, 'sick-disk/s.txt'), 'sick')
  const constants = { scan: { answer_ms: 2_000 } }
  home.configure({ folders: [{ name: 'sick', path: place, settle_ms: 50 }], constants })
  return { home, mount, place }
}

async function timed(home: Home, ...words: string[]) {
  const began = performance.now()
  const ended = await home.sluice(...words)
  return { ...ended, took_ms: performance.now() - began }
}

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const max_tries = 5
/** Enough that a command reads them for a moment. */
const max_files = 2_000
/** Two seconds without progress, two for the root, and four commands at once on a busy machine. */
const max_silent_command_ms = 10_000

/** Processes of this program that ask, and whose command has ended. */
function leftBehind(): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'ppid,args'], { encoding: 'utf8' })
  const program = fileURLToPath(new URL('../../../dist/', import.meta.url))
  return stdout.split('\n').filter((line) => /^ *1 /.test(line) && line.includes(program))
}

/** Runs a command on a mount that hangs as soon as the command reads it. */
async function hangDuring(line: string): Promise<void> {
  const words = line.split(' ')
  const { home, mount, place } = await makeHome()
  expect((await home.sluice('sync', 'docs')).code, line).toBe(0)
  for (let at = 0; at < max_files; at++) {
    const directory = join(home.path, `sick-disk/d${at % 100}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, `f${at}.txt`), `sick ${at}`)
  }
  home.write({ 'b.txt': 'two' })
  const running = home.start(...words)
  await mount.stopAfter(words.includes('--hash') ? 'OPEN' : 'OPENDIR', 20)
  const stopped_ms = performance.now()
  const { code, signal, out, err } = await running.ended
  const is_in_time = performance.now() - stopped_ms < max_silent_command_ms
  expect([code, signal, is_in_time], line + out + err).toEqual([3, null, true])
  expect(out + err, line).toContain(`${place} does not answer`)
  if (words[0] === 'plan') expect(out).toContain('would be uploaded: 1 file (3 B)')
  if (words[0] === 'sync') expect(home.readyAssets()).toBe(2)
  mount.goOn()
}

describe.skipIf(cannotHang())('a FUSE mount that hangs', () => {
  test('under one of two folders: each command says what it knows of the rest, and ends', async () => {
    const { home, mount, place } = await makeHome()
    expect((await home.sluice('sync')).code).toBe(0)
    mount.stop()
    const commands = [
      ['status'],
      ['explain', 'docs/a.txt'],
      ['explain', 'sick/s.txt'],
      ['pause'],
      ['resume'],
      ['plan'],
      ['ls'],
      ['ls', 'docs/a.txt'],
      ['verify'],
      ['prompts', 'list'],
      ['config'],
      ['retry', 'docs'],
    ]
    const ended = await Promise.all(commands.map((words) => timed(home, ...words)))
    for (const [at, { code, signal, out, err, took_ms }] of ended.entries()) {
      const words = commands[at]!
      expect([signal, took_ms < max_command_ms], words.join(' ')).toEqual([null, true])
      expect([0, 3], `${words}: ${err}`).toContain(code)
      expect(err, words.join(' ')).toContain(`${place} has not answered for 2 s`)
      if (words[0] === 'status') expect(out).toContain('docs')
      if (words[0] === 'plan') expect(out).toContain(`${place} does not answer`)
    }
    const doctor = await timed(home, 'doctor', '--json')
    expect([doctor.signal, doctor.took_ms < 30_000]).toEqual([null, true])
    expect(doctor.out).toContain(`it names paths that do not answer: ${place}`)
    expect(leftBehind()).toEqual([])
    mount.goOn()
    const { err } = await home.sluice('status')
    expect(err).not.toContain('has not answered')
  })

  test('that begins while commands read it: each names it, and ends', async () => {
    const lines = ['plan', 'plan --hash', 'verify', 'sync']
    await Promise.all(lines.map(hangDuring))
    await until('nothing is left', () => leftBehind().length === 0, leftBehind)
  })

  test('SIGHUP and a start go on with the folder that answers; the other one comes later', async () => {
    const { home, mount } = await makeHome()
    const daemon = await home.run()
    await until('both are in', () => home.readyAssets() === 2, daemon.err)
    mount.stop()
    daemon.child.kill('SIGHUP')
    await until('reloaded', () => daemon.err().includes('reloaded:'), daemon.err)
    home.write({ 'b.txt': 'two' })
    await until('the healthy folder goes on', () => home.readyAssets() === 3, daemon.err)
    daemon.child.kill('SIGTERM')
    await daemon.ended

    const second = await home.run()
    home.write({ 'c.txt': 'three' })
    await until('a start goes on, too', () => home.readyAssets() === 4, second.err)
    const { out } = await home.sluice('status')
    expect(out).toMatch(/sick .*\n +offline/)
    mount.goOn()
    writeFileSync(join(home.path, 'sick-disk/t.txt'), 'later')
    await until('the folder is back', () => home.readyAssets() === 5, second.err)
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
  })

  test('of reports: uploads go on, and the report is written once it answers', async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const reports = join(home.path, 'reports')
    const mount = await mountThatHangs(join(home.path, 'reports-disk'), reports)
    const file = (name: string) => ({ file: { dir: reports, name } })
    const program = join(reports, 'tell.sh')
    const digest = {
      name: 'digest',
      cron: '0 8 1 1 *',
      prompt: 'What is new?',
      first_run: 'all',
      scope: { folders: ['docs'] },
      deliver: [file('{{name}}.md'), file('copy.md'), { command: { run: [program] } }],
    }
    writeFileSync(join(home.path, 'reports-disk/tell.sh'), `#!/bin/sh\ntouch ${home.path}/told\n`, {
      mode: 0o755,
    })
    home.configure({ prompts: [digest] })
    const daemon = await home.run()
    await until('it is in', () => home.readyAssets() === 1, daemon.err)
    mount.stop()
    const asked = home.start('prompts', 'run', 'digest')
    await until(
      'the run is answered',
      () => daemon.err().includes('answer received: digest'),
      daemon.err,
    )
    home.write({ 'b.txt': 'two' })
    await until('uploads go on', () => home.readyAssets() === 2, daemon.err)
    mount.goOn()
    expect((await asked.ended).code).toBe(0)
    const delivered = () => readdirSync(join(home.path, 'reports-disk')).includes('copy.md')
    await until('the copy is delivered', delivered, daemon.err)
    const isTold = () => existsSync(join(home.path, 'told'))
    await until('the program on the mount has run', isTold, daemon.err)

    mount.stop()
    const shown = await timed(home, 'prompts', 'show', '1')
    expect([shown.code, shown.took_ms < max_command_ms]).toEqual([0, true])
    expect(shown.err).toContain(`${reports}/digest.md has not answered for 2 s`)
    mount.goOn()
    daemon.child.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(0)
  })

  test('of the token, the authority and the log: the daemon goes on with what it has', async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const mount = await mountThatHangs(join(home.path, 'keys-disk'), join(home.path, 'keys'))
    copyFileSync(join(home.path, 'token'), join(home.path, 'keys-disk/token'))
    writeFileSync(join(home.path, 'keys-disk/ca.pem'), test_certificate)
    const token_file = join(home.path, 'keys/token')
    const service = { token_file, ca_file: join(home.path, 'keys/ca.pem') }
    home.configure({ service })
    const lines = () => readFileSync(join(home.path, 'keys-disk/log'), 'utf8')
    const daemon = home.start('run', '--log-file', join(home.path, 'keys/log'))
    await until('it is in', () => home.readyAssets() === 1, daemon.err)
    mount.stop()
    home.configure({ service, uploads: { concurrency: 3 } })
    daemon.child.kill('SIGHUP')
    for (const said of [
      'the log goes on here',
      'the earlier one stays in force',
      'the earlier certificates stay in force',
    ])
      await until(said, () => daemon.err().includes(said), daemon.err)
    home.write({ 'b.txt': 'two' })
    await until('uploads go on', () => home.readyAssets() === 2, daemon.err)
    const init = await timed(
      home,
      ...'init --yes --folder docs=docs --config made.yaml'.split(' '),
      ...[
        ['--project', home.project_id],
        ['--base-url', home.service.api],
        ['--token-file', token_file],
      ].flat(),
    )
    expect([init.code, init.took_ms < max_command_ms]).toEqual([1, true])
    expect(init.err).toContain(`${token_file} has not answered for 2 s`)
    mount.goOn()
    await until('the file has the lines', () => lines().includes('reloaded: '), lines)
    daemon.child.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(0)
  })

  test('as the working directory: a command names it, and ends', async () => {
    const { home, mount, place } = await makeHome()
    const line = `read go; exec "${process.execPath}" "${main}" explain s.txt --config ../sluice.yaml`
    const shell = spawn('sh', ['-c', line], {
      cwd: place,
      env: { ...process.env, HOME: home.path },
    })
    mount.stop()
    shell.stdin.end('go\n')
    const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr)])
    expect(err + out).toContain(`${place}/s.txt`)
    expect(shell.signalCode).toBe(null)
    mount.goOn()
  })

  test('and answers late: a line says what is waited for', async () => {
    const { home, mount, place } = await makeHome()
    for (let tries = 1; ; tries += 1) {
      mount.stop()
      const running = home.start('status')
      const isSaid = () => running.err().includes(`waiting for ${place}`)
      await until('the line is there', isSaid, running.err)
      mount.goOn()
      const { err } = await running.ended
      // On a busy machine the second in between may be over.
      if (err.includes('has not answered') && tries < max_tries) continue
      expect(err).not.toContain('has not answered')
      return
    }
  })

  test('and answers, while the process of a command is stopped: the command waits for it', async () => {
    const { home } = await makeHome()
    const { child, ended, err } = home.start('sync')
    const shower = `/proc/${child.pid}/task/${child.pid}/children`
    const children = () => readFileSync(shower, 'utf8').trim().split(' ').filter(Boolean)
    await until('the process is there', () => children().length > 0, err)
    const command = Number(children()[0])
    process.kill(command, 'SIGSTOP')
    try {
      const isAsking = () => child.exitCode !== null || children().length > 1
      await until('the mounts are asked', isAsking, err)
    } finally {
      // A stopped process would stay for ever: it takes no signal that ends it in order.
      process.kill(command, 'SIGCONT')
    }
    const { code } = await ended
    expect([code, home.readyAssets()], err()).toEqual([0, 2])
  })

  test('of the state: a command says so, and ends', async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const mount = await mountThatHangs(join(home.path, 'state-disk'), join(home.path, 'state'))
    mount.stop()
    const { code, err, took_ms } = await timed(home, 'status')
    expect([code, took_ms < max_command_ms]).toEqual([1, true])
    expect(err).toContain(`${join(home.path, 'state')} has not answered for 2 s`)
    mount.goOn()
  })
})
