import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkPage } from '../../../src/inspect/doctor/check-page.ts'
import { makeStore } from '../../rig/tree.ts'
import { makeCertificate, toolsFor } from './doctor-rig.ts'

const no_daemon = { level: 'warning', message: 'nothing answers there, because no daemon runs' }

function filesOf({ file }: { file: string }): { tls_cert: string; tls_key: string } {
  const tls_key = join(dirname(file), 'key.pem')
  chmodSync(tls_key, 0o600)
  return { tls_cert: file, tls_key }
}

test('a certificate must be valid, and belong to a key that its owner alone can read', async () => {
  const check = (page: object) => checkPage(toolsFor({ page: { listen: '127.0.0.1:1', ...page } }))
  const good = filesOf(makeCertificate('page.example', ['2020', '2090']))
  const old = filesOf(makeCertificate('page.example', ['2010', '2012']))
  expect(await check(good)).toMatchObject([
    { id: 'page', level: 'ok', about: '127.0.0.1:1' },
    no_daemon,
  ])
  expect(await check(old)).toMatchObject([
    { level: 'fault', message: 'the certificate expired on 2012-01-31' },
    no_daemon,
  ])
  const other = join(makeStore(), 'key.pem')
  writeFileSync(other, '', { mode: 0o600 })
  for (const [files, message] of [
    [{ ...good, tls_key: other }, 'cannot be used'],
    [{ ...good, tls_key: old.tls_key }, 'cannot be used'],
    [{ ...good, tls_cert: '/nowhere/cert.pem' }, 'no such file or directory'],
  ] as const)
    expect(await check(files)).toMatchObject([
      { level: 'fault', message: expect.stringContaining(message) },
    ])
  chmodSync(good.tls_key, 0o640)
  expect(await check(good)).toMatchObject([{ level: 'fault', hint: `chmod 600 ${good.tls_key}` }])
})

test('a page that is off, and files on a mount that does not answer, are not tried', async () => {
  expect(await checkPage(toolsFor())).toEqual([])
  const page = { listen: '127.0.0.1:1', tls_cert: '/hung/cert.pem', tls_key: '/hung/key.pem' }
  expect(
    await checkPage(toolsFor({ page }, { isUnresponsive: (path) => path.startsWith('/hung/') })),
  ).toEqual([])
})

test('a socket is tried, too; without a daemon whoever answers is another program', async () => {
  const socket = join(makeStore(), 'page.sock')
  const check = () => checkPage(toolsFor({ page: { listen: `unix:${socket}` } }))
  expect(await check()).toMatchObject([no_daemon])
  const other = createServer().listen(socket)
  onTestFinished(() => void other.close())
  expect(await check()).toMatchObject([
    { level: 'fault', message: expect.stringContaining('another program') },
  ])
})

test.each([
  ['https://sluice.example.com', [], true],
  ['https://sluice.example.com/sluice', ['127.0.0.1'], false],
  ['http://127.0.0.1:8470', [], false],
  ['http://localhost:8470/sluice', [], false],
  ['http://localhost', [], true],
])('base_url %s with the proxies %j: it asks for one: %s', async (base_url, from, is_asked) => {
  const page = { listen: '127.0.0.1:8470', base_url, proxy: { from } }
  const asked = (await checkPage(toolsFor({ page }))).filter(({ message }) =>
    message.includes('page.proxy.from'),
  )
  expect(asked).toMatchObject(is_asked ? [{ level: 'warning' }] : [])
})
