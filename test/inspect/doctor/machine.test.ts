import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import { checkTimeZones } from '../../../src/inspect/doctor/check-config.ts'
import {
  checkMd5,
  checkNode,
  checkOpenFiles,
  checkSqlite,
} from '../../../src/inspect/doctor/check-machine.ts'

test.each([
  ['20.19.0', 'ok'],
  ['20.18.9', 'fault'],
  ['18.20.0', 'fault'],
  ['22.1.0', 'ok'],
  ['23.0.0', 'warning'],
  ['26.0.0', 'ok'],
])('Node %s: %s', (version, level) => {
  expect(checkNode(version).level).toBe(level)
})

test('md5: available, or refused by OpenSSL as in FIPS mode', () => {
  expect(checkMd5().level).toBe('ok')
  // OpenSSL 3 refuses MD4 in the same way. A Node in FIPS mode does not start without its FIPS
  // module.
  const check = checkMd5(() => createHash('md4').update('').digest())
  expect(check).toMatchObject({ level: 'fault', hint: expect.stringContaining('OPENSSL_CONF') })
})

test('SQLite: loads, or npm skipped it', () => {
  expect(checkSqlite()).toEqual([])
  const left_out = () => {
    throw new SluiceError({
      code: 'sqlite.unusable',
      message: 'does not load',
      hint: 'install Sluice again',
    })
  }
  expect(checkSqlite(left_out)).toMatchObject([
    { id: 'sqlite', level: 'fault', hint: 'install Sluice again' },
  ])
})

test('open files: the limit of the starting shell', () => {
  const limits = (count: number) =>
    execFileSync('sh', ['-c', `ulimit -n ${count}; cat /proc/self/limits`], { encoding: 'utf8' })
  expect(checkOpenFiles(300, limits(256))).toMatchObject([
    { level: 'fault', hint: expect.stringContaining('LimitNOFILE=1024') },
  ])
  expect(checkOpenFiles(3_000, limits(2_048))).toMatchObject([
    { level: 'fault', hint: expect.stringContaining('LimitNOFILE=3000') },
  ])
  expect(checkOpenFiles(300, limits(2_048))).toMatchObject([{ level: 'ok' }])
  expect(checkOpenFiles(300, '')).toEqual([])
})

test('time zones: known or unknown to this Node', () => {
  const prompt = (name: string, timezone: string) => ({ name, schedule: { timezone } })
  const checks = checkTimeZones([
    prompt('a', 'Europe/Berlin'),
    prompt('b', 'Europe/Berlin'),
    prompt('c', 'Mars/Olympus'),
  ])
  expect(checks).toMatchObject([
    { level: 'ok', about: 'Europe/Berlin' },
    { level: 'fault', about: 'Mars/Olympus', message: expect.stringContaining('c') },
  ])
})
