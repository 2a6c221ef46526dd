import { expect, test } from 'vitest'
import {
  isLoopbackAddress,
  isLoopbackAuthority,
  isLoopbackHost,
} from '../../../src/base/net/loopback.ts'

test.each([
  'localhost',
  'LocalHost:9464',
  '127.0.0.1',
  '127.0.0.1:9464',
  '127.255.0.7:1',
  '[::1]',
  '[::1]:9464',
])('this Host header means this machine: %s', (text) => {
  expect(isLoopbackAuthority(text)).toBe(true)
})

test.each([
  '',
  ':9464',
  // No browser writes addresses in these forms, though the system would take them for this machine.
  '0177.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '127.1',
  '127.0.0.01',
  '127.0.0.256',
  '127.0.0.1.',
  '::1',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  // These are names, and a resolver answers for them.
  'localhost.',
  'sluice.localhost',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example:9464',
  // These would be other parts of a URL.
  'evil.example@localhost',
  'localhost/evil.example',
  'localhost#evil.example',
  'localhost?evil.example',
  'localhost\\evil.example',
  'localhost:',
  'localhost:http',
  'localhost:9464:1',
  'localhost:123456',
  ' localhost',
  'localhost\t',
  'localhost, evil.example',
  '0.0.0.0',
  '128.0.0.1',
  '[::]',
])('this one does not: %j', (text) => {
  expect(isLoopbackAuthority(text)).toBe(false)
})

test('an address with an invalid part does not mean this machine', () => {
  expect(['127.0.0.1', '127.1.22.255'].every(isLoopbackHost)).toBe(true)
  expect(['127.0.0.256', '127.0.0.999', '127.0.0.1 '].some(isLoopbackHost)).toBe(false)
})

test.each(['127.0.0.1', '127.1.22.255', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  'a client at %s is on this machine',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(true)
  },
)

test.each(['', '128.0.0.1', '127.0.0.256', '::', '::2', '::ffff:10.0.0.1', 'fe80::1%eth0'])(
  'a client at %j is not',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(false)
  },
)
