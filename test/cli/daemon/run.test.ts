import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test as inTurn } from 'vitest'
import { Home, until } from '../sluice.ts'

/** Each test waits for processes most of its time. */
const test = inTurn.concurrent

test('the daemon uploads new files, ends with 0 on a signal, and leaves no socket', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  home.write({ 'b.txt': 'two' })
  await until('both are ready', () => home.readyAssets() === 2, daemon.err)
  daemon.child.kill('SIGHUP')
  home.write({ 'c.txt': 'three' })
  await until('a hang-up ended nothing', () => home.readyAssets() === 3, daemon.err)
  // The asset is ready before the daemon has asked: only the log shows that it knows.
  await until(
    'the daemon has read it',
    () => daemon.err().includes('ready: docs/b.txt'),
    daemon.err,
  )
  daemon.child.kill('SIGINT')
  const { code, out, err } = await daemon.ended
  expect([code, out]).toEqual([0, ''])
  expect(err).toMatch(/"msg":"stopped"/)
  expect(home.hasSocket()).toBe(false)
})

test.for(['run', 'serve'])('SIGUSR1 opens no debugger in `sluice %s`', async (command, context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const running =
    command === 'run'
      ? await home.run()
      : home.start('serve', '--data-dir', join(home.path, 'served'))
  await until('it serves', () => command === 'run' || running.out() !== '', running.err)
  running.child.kill('SIGUSR1')
  home.write({ 'b.txt': 'two' })
  if (command === 'run') await until('it works on', () => home.readyAssets() === 2, running.err)
  running.child.kill('SIGTERM')
  const { code, err } = await running.ended
  expect(err).not.toContain('Debugger')
  expect(code).toBe(0)
})

test('SIGHUP does not end `sluice serve`', async (context) => {
  const home = await Home.of(context)
  const serving = home.start('serve', '--port', '0', '--data-dir', join(home.path, 'served'))
  await until('it serves', () => serving.out() !== '', serving.err)
  const { api } = JSON.parse(serving.out()) as { api: string }
  serving.child.kill('SIGHUP')
  const answer = await fetch(`${api}/v1/openapi.yaml`)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('openapi')])
  serving.child.kill('SIGTERM')
  expect((await serving.ended).code).toBe(0)
})

test('a log file that cannot be written any more: its lines go to standard error, and the work goes on', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const file = join(home.path, 'sluice.log')
  const daemon = home.start('run', '--log-file', file)
  await until('it is at work', () => home.readyAssets() === 1, daemon.err)
  expect(daemon.err()).toBe('')
  renameSync(file, `${file}.1`)
  mkdirSync(file)
  home.write({ 'b.txt': 'two' })
  await until(
    'a line comes',
    () => daemon.err().includes('INFO: sync: ready: docs/b.txt\n'),
    daemon.err,
  )
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
})

test('a second signal stops the daemon at once; the next start continues its uploads', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let is_asked = false
  const unhold = home.service.on('begin', () => {
    is_asked = true
    return held
  })
  const daemon = await home.run()
  await until('a request is out', () => is_asked, daemon.err)
  daemon.child.kill('SIGTERM')
  await until(
    'it was heard',
    () => daemon.err().includes('a second signal stops at once'),
    daemon.err,
  )
  const began = performance.now()
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
  // The first signal alone allows half a minute.
  expect(performance.now() - began).toBeLessThan(10_000)
  unhold()
  release()
  expect((await home.inProcess('sync')).code).toBe(0)
  expect(home.readyAssets()).toBe(1)
})

test('only one daemon uses a ledger; after kill -9 the next one replaces the stale socket', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  expect(await home.sluice('run')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      `/state: sluice run (process ${daemon.child.pid} on ${hostname()})`,
    ),
  })
  expect(home.hasSocket()).toBe(true)
  daemon.child.kill('SIGKILL')
  await daemon.ended
  expect(home.hasSocket()).toBe(true)
  // The socket is stale, so the pass works without a daemon.
  expect((await home.inProcess('sync')).code).toBe(0)
  const next = await home.run()
  expect(await home.inProcess('retry')).toMatchObject({ code: 0, err: '' })
  next.child.kill('SIGTERM')
  expect((await next.ended).code).toBe(0)
})

test('a token that is missing or refused at the start ends the daemon with 77; a token refused later does not', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  rmSync(join(home.path, 'token'))
  expect(await home.sluice('run')).toMatchObject({
    code: 77,
    err: expect.stringContaining('cannot read the token file'),
  })
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const refused = await home.sluice('run')
  expect(refused).toMatchObject({
    code: 77,
    err: expect.stringContaining('the service refuses the token'),
  })
  expect(home.hasSocket()).toBe(false)
  home.giveToken()
  const daemon = await home.run()
  await until('the file is ready', () => home.readyAssets() === 1, daemon.err)
  home.service.tokens.revoke('cli 2')
  home.giveToken(`pat_${'y'.repeat(32)}`)
  home.write({ 'b.txt': 'two' })
  await until('it is reported', () => daemon.err().includes('"about":"account"'), daemon.err)
  home.giveToken()
  await until('the new token is taken up', () => home.readyAssets() === 2, daemon.err)
  expect(refused.err + daemon.err()).not.toMatch(/pat_\w{32}/)
})

test('without a configuration every command ends with 78', async (context) => {
  const home = await Home.of(context)
  rmSync(join(home.path, 'sluice.yaml'))
  const commands = [['run'], ['sync'], ['retry'], ['accept', 'docs']]
  const ended = await Promise.all(commands.map((words) => home.sluice(...words)))
  expect(ended.map(({ code }) => code)).toEqual([78, 78, 78, 78])
})

test('status asks the daemon whether the file in the state directory is still its ledger', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'a' })
  await home.run()
  const file = join(home.path, 'state/ledger.db')
  const health = async () =>
    JSON.parse((await home.inProcess('status', '--json')).out).health as { problems: object[] }
  const problem = (what: string) =>
    expect.objectContaining({ kind: 'ledger', message: expect.stringContaining(what) })
  copyFileSync(file, `${file}.copy`)
  rmSync(file)
  expect((await health()).problems).toContainEqual(
    problem('was removed while this daemon has it open'),
  )
  expect((await home.inProcess('status')).out).toContain('`sluice rebuild` before it starts again')
  renameSync(`${file}.copy`, file)
  expect((await health()).problems).toContainEqual(problem('another file is in the place of'))
})

test('if the state directory is moved away, every command says so, and no command creates another one', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  await until('it is ready', () => home.readyAssets() === 1, daemon.err)
  const state_dir = join(home.path, 'state')
  renameSync(state_dir, `${state_dir}-away`)
  const message = `process ${daemon.child.pid} is the daemon still, and ${state_dir} was taken away from under it`
  expect(await home.inProcess('status')).toMatchObject({
    code: 3,
    out: expect.stringContaining(message),
  })
  expect((await home.inProcess('doctor')).out.replace(/\s+/g, ' ')).toContain(
    `FAULT ${state_dir}/ledger.db: ${message}`,
  )
  for (const words of [['run'], ['sync'], ['rebuild'], ['pause'], ['rescan']])
    expect(await home.inProcess(...words), words[0]).toMatchObject({
      code: 1,
      err: expect.stringContaining(message),
    })
  expect(existsSync(state_dir)).toBe(false)

  renameSync(`${state_dir}-away`, state_dir)
  expect((await home.inProcess('status')).out).toContain('daemon running')
  rmSync(join(state_dir, 'control.sock'))
  expect(await home.inProcess('pause')).toMatchObject({
    code: 1,
    err: expect.stringContaining('its socket was removed'),
  })
  daemon.child.kill('SIGTERM')
  await daemon.ended
  expect(await home.inProcess('status')).toMatchObject({
    code: 0,
    out: expect.stringContaining('no daemon is running'),
  })
})
