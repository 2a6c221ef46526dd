import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test as inTurn } from 'vitest'
import { Home, until } from '../sluice.ts'

/** Each test waits for processes most of its time. */
const test = inTurn.concurrent

test('SIGHUP loads the new configuration; an invalid one changes nothing', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  await until('the first is ready', () => home.readyAssets() === 1, daemon.err)
  const more = join(home.path, 'more')
  mkdirSync(more)
  writeFileSync(join(more, 'b.txt'), 'two')
  home.configure({ folders: [{ name: 'more', path: more, settle_ms: '50ms' }] })
  daemon.child.kill('SIGHUP')
  await until('its file is ready', () => home.readyAssets() === 2, daemon.err)
  // The ledger has the folder before the daemon logs the reload.
  await until(
    'it is said',
    () => daemon.err().includes('"msg":"reloaded: 1 folder added"'),
    daemon.err,
  )

  writeFileSync(join(home.path, 'sluice.yaml'), 'service: { base_url: ftp://here }\nfolder: []\n')
  daemon.child.kill('SIGHUP')
  await until(
    'it is refused',
    () => daemon.err().includes('the earlier configuration stays in force'),
    daemon.err,
  )
  // The log has a line for each fault.
  for (const field of ['service.base_url', 'service.project_id', 'folder: there is no such field'])
    expect(daemon.err()).toContain(field)
  home.write({ 'c.txt': 'three' })
  writeFileSync(join(more, 'd.txt'), 'four')
  await until('both folders are kept', () => home.readyAssets() === 4, daemon.err)
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
})

test('sluice reload reports what changed, or why nothing did', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  expect(await home.inProcess('reload')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing to reload'),
  })
  const daemon = await home.run()
  expect((await home.inProcess('reload')).out).toMatch(
    /^reloaded \(process \d+\): nothing changed\n$/,
  )
  home.configure({ uploads: { concurrency: 2 }, folder: { labels: ['new'] } })
  expect((await home.inProcess('reload')).out).toContain('1 folder changed, uploads changed')
  home.giveToken()
  expect((await home.inProcess('reload')).out).toContain('token changed')
  home.giveToken('not a token')
  expect(await home.inProcess('reload')).toMatchObject({
    code: 77,
    err: expect.stringContaining('holds no valid token'),
  })
  await until(
    'it is said',
    () => daemon.err().includes('the earlier configuration stays in force'),
    daemon.err,
  )
  // Many requests run one after the other; each reload begins after its request.
  home.giveToken()
  const ended = await Promise.all(Array.from({ length: 5 }, () => home.inProcess('reload')))
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
  expect(daemon.err()).not.toMatch(/pat_\w{32}/)
})
