import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { capturedTerminal } from '../../cli/captured-terminal.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { temporaryFolder } from '../fixture.ts'

const hosts = ['sluice.lan', '*.office.lan', '127.0.0.2', '2001:db8::5', '::ffff:10.0.0.1']

function make(folder = temporaryFolder(), clock = new FakeClock()) {
  const files = makeCertificates(folder, hosts, clock)
  const read = (file: string) => new X509Certificate(readFileSync(file))
  return { folder, files, clock, ca: read(files.ca), leaf: read(files.cert) }
}

test('the TLS library reads an authority and its certificate, for names and addresses', () => {
  const { ca, leaf } = make()
  expect([
    ca.ca,
    leaf.ca,
    leaf.checkIssued(ca),
    leaf.verify(ca.publicKey),
    ca.verify(ca.publicKey),
  ]).toEqual([true, false, true, true, true])
  for (const name of ['sluice.lan', 'door.office.lan']) expect(leaf.checkHost(name)).toBeDefined()
  for (const address of ['127.0.0.2', '2001:db8::5', '10.0.0.1']) {
    const found = leaf.checkIP(address) ?? leaf.checkIP(`::ffff:${address}`)
    expect(found, address).toBeDefined()
  }
  expect([leaf.checkHost('other.lan'), leaf.checkIP('127.0.0.3')]).toEqual([undefined, undefined])
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
})

test('a certificate is valid from a day ago for as long as systems accept, and the authority for ten years', () => {
  const { ca, leaf, clock } = make()
  const days = (text: string) => (Date.parse(text) - clock.now_ms()) / 86_400_000
  expect([days(leaf.validFrom), days(leaf.validTo), days(ca.validTo)].map(Math.round)).toEqual([
    -1, 824, 3_650,
  ])
})

test('the strict check of openssl finds no fault', () => {
  const { files } = make(temporaryFolder(), new FakeClock(Date.now()))
  const words = [
    'verify',
    '-x509_strict',
    '-purpose',
    'sslserver',
    '-verify_hostname',
    'sluice.lan',
  ]
  expect(String(execFileSync('openssl', [...words, '-CAfile', files.ca, files.cert]))).toContain(
    'OK',
  )
})

test('keys are readable by their owner alone, in a folder of the owner alone', () => {
  const { files } = make(join(temporaryFolder(), 'tls'))
  const modes = [files.ca_key, files.key, join(files.key, '..')].map(
    (path) => statSync(path).mode & 0o777,
  )
  expect(modes).toEqual([0o600, 0o600, 0o700])
})

test('no file is overwritten, and the same authority replaces a certificate that was moved away', () => {
  const { folder, files, ca, leaf } = make()
  expect(() => make(folder)).toThrow(/already exists/)
  expect(readFileSync(files.cert, 'utf8')).toBe(leaf.toString())
  rmSync(files.cert)
  expect(() => make(folder)).toThrow(/server.key already exists/)
  renameSync(files.key, `${files.key}.old`)
  const again = make(folder)
  expect(again.ca.serialNumber).toBe(ca.serialNumber)
  expect([again.leaf.checkIssued(ca), again.leaf.verify(ca.publicKey)]).toEqual([true, true])
  expect(again.leaf.serialNumber).not.toBe(leaf.serialNumber)
})

test('an incomplete or invalid authority is not completed', () => {
  const first = make()
  for (const file of [first.files.cert, first.files.key, first.files.ca]) rmSync(file)
  expect(() => make(first.folder)).toThrow(/ca.key exists without/)
  const second = make()
  for (const file of [second.files.cert, second.files.key]) rmSync(file)
  writeFileSync(second.files.ca_key, readFileSync(first.files.ca_key))
  expect(() => make(second.folder)).toThrow(/are not a valid authority of Sluice/)
  rmSync(second.files.ca_key)
  expect(() => make(second.folder)).toThrow(/cannot be used again/)
})

test('an authority whose key others can read signs nothing more', () => {
  const { folder, files } = make()
  for (const file of [files.cert, files.key]) rmSync(file)
  chmodSync(files.ca_key, 0o640)
  expect(() => make(folder)).toThrow(/group or others can read the key .*ca.key/)
  expect(existsSync(files.cert)).toBe(false)
})

/** The report of openssl, which reads the files by itself. */
function reportedBy(file: string): string {
  return String(execFileSync('openssl', ['x509', '-in', file, '-noout', '-text']))
}

test('a certificate has the fields that RFC 5280 asks for, and no others', () => {
  const { files } = make(temporaryFolder(), new FakeClock(Date.now()))
  const [ca, leaf] = [reportedBy(files.ca), reportedBy(files.cert)]
  for (const text of [ca, leaf]) {
    expect(text).toContain('Version: 3 (0x2)')
    expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256')
    const extensions = text.match(/X509v3 [\w ]+:/g)!
    expect(new Set(extensions).size, 'no extension twice').toBe(extensions.length)
    // Positive, and of at most 20 bytes.
    expect(text).toMatch(/Serial Number:\s+[4-7][0-9a-f](:[0-9a-f]{2}){15}\n/)
  }
  expect(ca).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
  expect(ca).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/)
  expect(leaf).toMatch(/Basic Constraints: critical\s+CA:FALSE\n/)
  expect(leaf).toMatch(/Key Usage: critical\s+Digital Signature\n/)
  expect(leaf).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication\n/)
  expect(leaf).toMatch(
    /DNS:sluice.lan, DNS:\*.office.lan, IP Address:127.0.0.2, IP Address:2001:DB8:0:0:0:0:0:5, IP Address:0:0:0:0:0:FFFF:A00:1\n/,
  )
  const [subject, issuer] = [ca, leaf].map(
    (text) => /Authority Key Identifier:\s+(.*)\n/.exec(text)![1],
  )
  expect(issuer).toBe(subject)
  expect(/Subject Key Identifier:\s+(.*)\n/.exec(ca)![1]).toBe(issuer)
})

test('times from 2050 on are written in their own form, and read back', () => {
  const clock = new FakeClock(Date.UTC(2045, 0, 1))
  const { files, ca } = make(temporaryFolder(), clock)
  expect(new Date(ca.validTo).getUTCFullYear()).toBe(2054)
  const words = (file: string) => String(execFileSync('openssl', ['asn1parse', '-in', file]))
  expect(words(files.ca)).toMatch(/UTCTIME +:441231000000Z\n.*GENERALIZEDTIME +:20541230000000Z\n/)
  expect(words(files.cert).match(/UTCTIME/g)).toHaveLength(2)
})

test.each([
  'https://sluice.lan',
  'a b',
  '',
  'sluice.lan:8443',
  '-x.lan',
  'fe80::1%eth0',
  '192.168.1.400',
  '10.1',
  '7',
])('"%s" is refused as a host', (host) => {
  const folder = join(temporaryFolder(), 'tls')
  expect(() => makeCertificates(folder, ['sluice.lan', host], new FakeClock())).toThrow(
    /not a name or an address/,
  )
  expect(existsSync(folder)).toBe(false)
})

test('serve cert makes the files in the data folder, and prints what clients need', async () => {
  const data_dir = temporaryFolder()
  const { terminal, out, err } = capturedTerminal()
  const words = ['serve', 'cert', 'sluice.lan', '192.168.1.4', '--data-dir', data_dir]
  expect(await runCli(words, terminal, commands)).toBe(0)
  expect(out()).toBe(`${join(data_dir, 'tls/ca.pem')}\n`)
  expect(err()).toContain('service.ca_file')
  expect(
    new X509Certificate(readFileSync(join(data_dir, 'tls/server.pem'))).checkIP('192.168.1.4'),
  ).toBeDefined()
  expect(await runCli(words, terminal, commands)).toBe(78)
})
