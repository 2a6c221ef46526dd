import { expect, test as inTurn } from 'vitest'
import { Home, until } from '../sluice.ts'

/** Each test waits for processes most of its time. */
const test = inTurn.concurrent

test('paused without a daemon: status shows it, sync and prompts do nothing, resume ends it', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  expect((await home.inProcess('sync')).code).toBe(0)
  expect((await home.inProcess('resume')).out).toBe('Sluice was not paused.\n')
  home.write({ 'b.txt': 'two' })
  expect((await home.inProcess('pause', '--for', '2h', '--why', 'the line is slow')).out).toMatch(
    /^paused for 2 h/,
  )
  const [first] = (await home.inProcess('status')).out.split('\n')
  expect(first).toMatch(/^paused for .* by .*, for another (2 h|1 h 59 min).*: the line is slow$/)
  expect(JSON.parse((await home.inProcess('status', '--json')).out).pause).toMatchObject({
    why: 'the line is slow',
  })
  const sync = await home.inProcess('sync')
  expect(sync).toMatchObject({
    code: 3,
    err: expect.stringContaining('nothing is synchronised: paused'),
  })
  expect(home.readyAssets()).toBe(1)
  expect((await home.inProcess('resume')).out).toMatch(
    /^The pause has ended\. It lasted [\d.]+ m?s, set by \S+ \(the line is slow\)\.$/m,
  )
  expect((await home.inProcess('sync')).code).toBe(0)
  expect(home.readyAssets()).toBe(2)
  const bounds = '--for must be a duration from 1s to 366d, such as 30m, 2h or 1d; without it the'
  for (const [option, value, why] of [
    ['--for', 'long', bounds],
    ['--for', '5', bounds],
    ['--for', '0m', bounds],
    ['--for', '1h 1h', '--for must name each unit once'],
    ['--for', '2 months', '--for must not count in months'],
    ['--for', '367d', bounds],
    // This date is too far in the future to be shown.
    ['--for', '100000000d', bounds],
    ['--why', 'x'.repeat(201), '--why must have at most 200 characters'],
  ] as const)
    expect(await home.inProcess('pause', option, value)).toMatchObject({
      code: 64,
      err: expect.stringContaining(why),
    })
})

test('refuses a pause of more than a year, and a reason of spaces only', async (context) => {
  const home = await Home.of(context)
  await home.inProcess('sync')
  expect(await home.inProcess('pause', '--for', '366d', '--why', ' \t ')).toMatchObject({ code: 0 })
  const { pause } = JSON.parse((await home.inProcess('status', '--json')).out)
  expect(pause.why).toBeNull()
  expect((await home.inProcess('status')).out.split('\n')[0]).toMatch(
    /^paused for [\d.]+ m?s by \S+, for another 366 d$/,
  )
  expect((await home.inProcess('pause', '--why', 'x'.repeat(200))).code).toBe(0)
})

test('shows a reason as plain text, whatever it contains', async (context) => {
  const home = await Home.of(context)
  await home.inProcess('sync')
  await home.inProcess('pause', '--why', 'red \u001b[31m\nand a line')
  for (const verb of ['status', 'sync', 'resume']) {
    const { out, err } = await home.inProcess(verb)
    expect(out + err, verb).toContain('red \\x1b[31m\\nand a line')
  }
})

test('a pause through the daemon outlives a kill of the daemon', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  await until('the first is ready', () => home.readyAssets() === 1, daemon.err)
  expect((await home.inProcess('pause')).code).toBe(0)
  daemon.child.kill('SIGKILL')
  await daemon.ended
  home.write({ 'b.txt': 'two' })
  const next = await home.run()
  expect((await home.inProcess('rescan', 'docs')).out).toContain('the scan begins: docs')
  expect((await home.inProcess('status')).out).toMatch(/^paused for/)
  expect(await home.inProcess('sync')).toMatchObject({
    code: 3,
    err: expect.stringContaining('`sluice resume`'),
  })
  expect(home.readyAssets()).toBe(1)
  expect((await home.inProcess('resume')).code).toBe(0)
  await until('the second is ready', () => home.readyAssets() === 2, next.err)
})

test('rescan without a daemon says which command scans', async (context) => {
  const home = await Home.of(context)
  expect(await home.inProcess('rescan')).toMatchObject({
    code: 0,
    err: expect.stringContaining('no daemon is running'),
  })
  expect((await home.inProcess('rescan', 'elsewhere')).code).toBe(64)
})

test('a time without its option is answered with the line to type', async () => {
  const home = await Home.make()
  for (const words of [['1', 'hour'], ['1h'], ['1', 'h']])
    expect(await home.inProcess('pause', ...words)).toMatchObject({
      code: 64,
      err: expect.stringContaining('write sluice pause --for 1h'),
    })
})
