import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  checkCommands,
  checkMail,
  checkWebhooks,
} from '../../../src/inspect/doctor/check-deliveries.ts'
import { checkSecretFiles } from '../../../src/inspect/doctor/check-secret-files.ts'
import { startMailReceiver } from '../../deliver/mail-receiver.ts'
import { startServer } from '../../remote/recording-server.ts'
import { test_certificate } from '../../remote/test-certificate.ts'
import { makeTree } from '../../rig/tree.ts'
import { levels, toolsFor } from './doctor-rig.ts'

function secrets(tree: Record<string, string>): string {
  const root = makeTree(tree)
  for (const name of Object.keys(tree)) chmodSync(join(root, name), 0o600)
  return root
}

const alerts = (...deliver: object[]) => toolsFor({ alerts: { deliver } })

describe('a mail server', () => {
  const root = secrets({ password: 'right', wrong: 'wrong', 'ca.pem': test_certificate })

  async function check(smtp: object) {
    const email = {
      to: ['ada@example.org'],
      from: 'sluice@example.org',
      smtp: { host: 'localhost', ...smtp },
    }
    return checkMail(alerts({ email }))
  }

  test('greets, starts TLS and logs in, but sends no mail', async () => {
    const { port, received, logins } = await startMailReceiver()
    const login = {
      user: 'ada',
      password_file: join(root, 'password'),
      ca_file: join(root, 'ca.pem'),
    }
    expect(await check({ port, tls: 'starttls', ...login })).toMatchObject([
      { level: 'ok', about: `localhost:${port}`, message: 'it takes the login (tls: starttls)' },
    ])
    expect(logins).toEqual(['right'])
    expect(received).toEqual([])
  })

  test('reports a wrong password, an unknown certificate, no server, and a missing password', async () => {
    const { port } = await startMailReceiver()
    const ca_file = join(root, 'ca.pem')
    const wrong = await check({
      port,
      tls: 'starttls',
      ca_file,
      user: 'ada',
      password_file: join(root, 'wrong'),
    })
    expect(wrong).toMatchObject([
      { level: 'fault', message: expect.stringContaining('the login was refused') },
    ])
    expect(JSON.stringify(wrong)).not.toContain('"wrong"')
    const unknown = await check({ port, tls: 'starttls' })
    expect(unknown).toMatchObject([{ level: 'fault', hint: 'check tls, host, port and ca_file' }])
    expect(await check({ port: 9, tls: 'none' })).toMatchObject([
      { level: 'fault', hint: 'check host and port' },
    ])
    const missing = await check({
      port,
      tls: 'starttls',
      user: 'ada',
      password_file: join(root, 'missing'),
    })
    expect(missing).toMatchObject([
      {
        level: 'fault',
        message: expect.stringContaining('cannot be read (no such file or directory)'),
      },
    ])
  })
})

test('webhooks: connects only; reports no server, and a file without an address', async () => {
  const server = await startServer()
  const root = secrets({ good: `${server.origin}/hooks/SECRET`, bad: 'no address' })
  const checks = await checkWebhooks(
    alerts(
      { webhook: { url_file: join(root, 'good') } },
      { webhook: { url_file: join(root, 'bad') } },
      { webhook: { url: 'http://127.0.0.1:9/hooks/SECRET' } },
    ),
  )
  expect(levels(checks)).toEqual(['ok webhook', 'fault webhook', 'fault webhook'])
  expect(JSON.stringify(checks)).not.toContain('SECRET')
  expect(server.requests).toEqual([])
})

test('commands: runnable, missing, not executable', () => {
  const root = makeTree({ 'plain.sh': '#!/bin/sh\n' })
  const programs = ['/bin/sh', '/no/such/program', join(root, 'plain.sh')]
  const checks = checkCommands(
    alerts(...programs.map((program) => ({ command: { run: [program] } }))),
  )
  expect(levels(checks)).toEqual(['ok command', 'fault command', 'fault command'])
  expect(checks[2]?.hint).toContain(`chmod +x ${root}/plain.sh`)
})

test('secret files: closed, open to others, missing; shows no content', () => {
  const root = secrets({ closed: 'SECRET', open: 'SECRET' })
  chmodSync(join(root, 'open'), 0o644)
  const hook = (name: string) => ({
    webhook: { url: 'https://hooks.example.com/x', secret_file: join(root, name) },
    name,
  })
  const checks = checkSecretFiles(alerts(hook('closed'), hook('open'), hook('missing')))
  expect(levels(checks)).toEqual(['ok secret_files', 'warning secret_files', 'fault secret_files'])
  expect(checks[1]).toMatchObject({
    hint: `chmod 600 ${root}/open`,
    message: expect.stringContaining('mode 644'),
  })
  expect(JSON.stringify(checks)).not.toContain('SECRET')
})
