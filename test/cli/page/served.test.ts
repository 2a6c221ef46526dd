import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { freePort } from '../../../src/cli/free-port.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { makeStore } from '../../rig/tree.ts'
import { Home, until, untilAnswer } from '../sluice.ts'

function configure(home: Home, more: object): void {
  const file = join(home.path, 'sluice.yaml')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }))
}

const pageCheck = async (home: Home) => {
  const { checks } = JSON.parse((await home.inProcess('doctor', '--json')).out)
  return checks.filter(({ id }: { id: string }) => id === 'page')
}

test('a page that cannot be served is a problem in status, in the endpoints, in doctor and before a link', async () => {
  const home = await Home.make({ 'a.txt': 'hello' })
  const [port, health_port] = [await freePort(), await freePort()]
  configure(home, {
    page: { listen: `127.0.0.1:${port}` },
    health: { listen: `127.0.0.1:${health_port}` },
  })
  const before = await home.inProcess('page')
  expect([before.code, before.out]).toEqual([64, ''])
  expect(before.err).toContain('no daemon runs')
  expect(await pageCheck(home)).toMatchObject([{ level: 'warning', hint: 'sluice run' }])

  const other = createServer().listen(port, '127.0.0.1')
  expect(await pageCheck(home)).toMatchObject([
    { level: 'fault', message: expect.stringContaining('another program') },
  ])
  const daemon = await home.run()
  const status = async () => JSON.parse((await home.inProcess('status', '--json')).out)
  const isPage = ({ kind }: { kind: string }) => kind === 'page'
  const { health, troubles } = await untilAnswer('the problem', status, (now) =>
    now.health.problems.some(isPage),
  )
  const message = expect.stringMatching(`cannot listen on 127.0.0.1, port ${port}`)
  expect([health.state, troubles]).toEqual(['unhealthy', []])
  expect(health.problems).toMatchObject([
    { kind: 'page', message, hint: expect.stringContaining('page.listen') },
  ])
  expect((await home.inProcess('status')).out).toContain(
    'the page cannot be served as it is configured',
  )
  const endpoint = (path: string) => fetch(`http://127.0.0.1:${health_port}${path}`)
  expect((await endpoint('/readyz')).status).toBe(503)
  expect(await (await endpoint('/metrics')).text()).toContain('sluice_problems{kind="page"} 1')
  expect(await pageCheck(home)).toMatchObject([{ level: 'fault', message }])
  const refused = await home.inProcess('page')
  expect([refused.code, refused.out]).toEqual([64, ''])
  expect(refused.err).toContain(`port ${port}`)
  // A file is not held up by it.
  await until('the file', () => home.readyAssets() === 1)
  expect((await home.inProcess('explain', 'docs/a.txt')).out).not.toContain('page')

  other.close()
  await untilAnswer('the end', status, (now) => now.health.state === 'healthy')
  expect(await pageCheck(home)).toMatchObject([{ level: 'ok' }])
  const link = (await home.inProcess('page')).out.trim()
  expect((await fetch(link)).status).toBe(200)
  daemon.child.kill('SIGTERM')
  await daemon.ended
})

test('sluice page right after a reload waits for the page; other machines get users, and no link', async () => {
  const home = await Home.make()
  const daemon = await home.run()
  const off = await home.inProcess('page')
  expect([off.code, off.out]).toEqual([78, ''])
  expect(off.err).toMatch(
    /the page is off.*\n {2}add the line `page: \{listen: 127\.0\.0\.1:8470\}` to \/.*sluice\.yaml, then `sluice reload`/,
  )
  const port = await freePort()
  configure(home, { page: { listen: `127.0.0.1:${port}` } })
  const early = await home.inProcess('page')
  expect(early.err).toContain('nothing answers there')
  expect(early.err).toContain('sluice reload')
  expect((await home.inProcess('reload')).code).toBe(0)
  // Each call waits for three seconds, which a busy machine can need more than once.
  const { out: link } = await untilAnswer(
    'a link',
    () => home.inProcess('page'),
    ({ code }) => code === 0,
  )
  expect(link).toContain(`127.0.0.1:${port}/link/`)

  const { cert, key } = makeCertificates(makeStore(), ['127.0.0.1'], system_clock)
  const open = { listen: `0.0.0.0:${await freePort()}`, tls_cert: cert, tls_key: key }
  configure(home, { page: open })
  expect((await home.inProcess('reload')).code).toBe(0)
  const { code, out, err } = await home.inProcess('page')
  expect([code, out]).toEqual([64, ''])
  expect(err).toContain(`this one listens on ${open.listen}`)
  expect(err).toContain('sluice page user add NAME --role operator')
  await untilAnswer(
    'the page',
    () => pageCheck(home),
    (checks) => checks.at(-1)?.level === 'ok',
  )
  expect(await pageCheck(home)).toMatchObject([
    { level: 'ok', message: expect.stringContaining('expires on') },
    { message: 'it answers' },
  ])
  writeFileSync(key, 'no key')
  expect(await pageCheck(home)).toMatchObject([
    { level: 'fault', message: expect.stringContaining('cannot be used') },
  ])
  daemon.child.kill('SIGTERM')
  await daemon.ended
})
