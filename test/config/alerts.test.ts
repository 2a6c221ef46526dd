import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configFromObject } from '../../src/config/load.ts'
import { configAsYaml, maskedConfig } from '../../src/config/resolve/effective.ts'
import { makeStore, makeTree } from '../rig/tree.ts'

const home = makeStore()
const docs = makeTree()

function configWith(sections: object) {
  const service = { base_url: 'http://127.0.0.1:1', project_id: 'project_0123456789abcdefghij' }
  return configFromObject(
    { service, folders: [{ name: 'docs', path: docs }], ...sections },
    { HOME: home },
  )
}

test.each([
  ['127.0.0.1:9464', '127.0.0.1:9464'],
  ['[::1]:0', '[::1]:0'],
  ['off', 'off'],
  [false, 'off'],
])('health.listen may be %s', (listen, resolved) => {
  expect(configWith({ health: { listen } }).health.listen).toBe(resolved)
})

test.each([
  '0.0.0.0:9464',
  '127.0.0.1',
  '9464',
  'localhost:70000',
  '[::]:80',
  '127.0.0.1:70000',
  '192.168.0.1:80',
  true,
])('health.listen may not be %s, because it serves this machine alone', (listen) => {
  expect(() => configWith({ health: { listen } })).toThrow(
    /health\.listen: must be off, or an address of this machine/,
  )
})

const smtp = { host: 'mail.example.com', user: 'u', password_file: '/p' }
const alerts = {
  deliver: [
    { webhook: { url: 'https://hooks.example.com/T0/SECRET', body: 'slack' } },
    { email: { to: ['ops@example.org'], from: 'sluice@example.org' } },
    { name: 'page', command: { run: ['/usr/bin/logger', '{{subject}}'] } },
  ],
  ping: { url: 'https://checker.example.com/SECRET' },
}

test('alerts use the deliveries of reports, and their addresses stay hidden', () => {
  const config = configWith({ smtp, alerts })
  expect(config.alerts).toMatchObject({
    deliver: [
      { kind: 'webhook', name: expect.stringMatching(/^webhook-[0-9a-f]{8}$/), body: 'slack' },
      { kind: 'email', smtp: { host: 'mail.example.com', port: 465 } },
      { kind: 'command', name: 'page' },
    ],
    ping: { url: 'https://checker.example.com/SECRET' },
  })
  const printed = configAsYaml(config)
  expect(printed).not.toContain('SECRET')
  expect(configFromObject(parse(printed), { HOME: home })).toEqual(maskedConfig(config))
})

test('faults of alerts are reported among those of other sections, with their positions', () => {
  const inside = join(docs, 'secrets')
  mkdirSync(inside)
  const wrong = (section: object) => () => configWith({ alerts: section })
  expect(wrong({ ping: {} })).toThrow('alerts.ping: must have either url or url_file')
  expect(wrong({ ping: { url_file: join(inside, 'ping') } })).toThrow(
    /alerts\.ping\.url_file: must not lie inside/,
  )
  expect(wrong({ ping: { url: 'http://checker.example.com/x' } })).toThrow(
    /alerts\.ping\.url: must begin with https/,
  )
  expect(wrong({ deliver: [alerts.deliver[1]] })).toThrow('alerts.deliver[0].email: has no server')
  expect(wrong({ deliver: [{ file: { dir: inside } }] })).toThrow(
    /alerts\.deliver\[0\]\.file\.dir: must not lie inside/,
  )
  expect(wrong({ deliver: [alerts.deliver[2], alerts.deliver[2]] })).toThrow(
    'alerts.deliver[0] has this name',
  )
})
