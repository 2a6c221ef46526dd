import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { makeCertificates } from '../../src/service/make-certificates.ts'
import { capturedTerminal } from '../cli/captured-terminal.ts'
import { FakeClock } from '../fake-clock.ts'
import { temporaryFolder } from './fixture.ts'

const hosts = ['sluice.lan', '*.office.lan', '127.0.0.2', '2001:db8::5', '::ffff:10.0.0.1']

function make(folder = temporaryFolder(), clock = new FakeClock()) {
  const files = makeCertificates(folder, hosts, clock)
  const read = (file: string) => new X509Certificate(readFileSync(file))
  return { folder, files, clock, ca: read(files.ca), leaf: read(files.cert) }
}

test('an authority and a certificate of it, for names and addresses, as the library of TLS reads them', () => {
  const { ca, leaf } = make()
  expect([ca.ca, leaf.ca, leaf.checkIssued(ca), leaf.verify(ca.publicKey), ca.verify(ca.publicKey)]).toEqual([
    true,
    false,
    true,
    true,
    true,
  ])
  for (const name of ['sluice.lan', 'door.office.lan']) expect(leaf.checkHost(name)).toBeDefined()
  for (const address of ['127.0.0.2', '2001:db8::5', '10.0.0.1']) {
    const found = leaf.checkIP(address) ?? leaf.checkIP(`::ffff:${address}`)
    expect(found, address).toBeDefined()
  }
  expect([leaf.checkHost('other.lan'), leaf.checkIP('127.0.0.3')]).toEqual([undefined, undefined])
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
})

test('it is valid from a day ago, for as long as systems accept, and the authority for ten years', () => {
  const { ca, leaf, clock } = make()
  const days = (text: string) => (Date.parse(text) - clock.now_ms()) / 86_400_000
  expect([days(leaf.validFrom), days(leaf.validTo), days(ca.validTo)].map(Math.round)).toEqual([-1, 824, 3_650])
})

test('the strict check of openssl has nothing against it', () => {
  const { files } = make(temporaryFolder(), new FakeClock(Date.now()))
  const words = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'sluice.lan']
  expect(String(execFileSync('openssl', [...words, '-CAfile', files.ca, files.cert]))).toContain('OK')
})

test('keys are for their owner alone, in a folder for the owner alone', () => {
  const { files } = make(join(temporaryFolder(), 'tls'))
  const modes = [files.ca_key, files.key, join(files.key, '..')].map((path) => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o700])
})

test('nothing is overwritten; a certificate that was moved away is made anew by the same authority', () => {
  const { folder, files, ca, leaf } = make()
  expect(() => make(folder)).toThrow(/is there already/)
  expect(readFileSync(files.cert, 'utf8')).toBe(leaf.toString())
  rmSync(files.cert)
  expect(() => make(folder)).toThrow(/server.key is there already/)
  renameSync(files.key, `${files.key}.old`)
  const again = make(folder)
  expect(again.ca.serialNumber).toBe(ca.serialNumber)
  expect([again.leaf.checkIssued(ca), again.leaf.verify(ca.publicKey)]).toEqual([true, true])
  expect(again.leaf.serialNumber).not.toBe(leaf.serialNumber)
})

test('half an authority, or what is none, is not completed by another half', () => {
  const first = make()
  for (const file of [first.files.cert, first.files.key, first.files.ca]) rmSync(file)
  expect(() => make(first.folder)).toThrow(/ca.key is there already, without/)
  const second = make()
  for (const file of [second.files.cert, second.files.key]) rmSync(file)
  writeFileSync(second.files.ca_key, readFileSync(first.files.ca_key))
  expect(() => make(second.folder)).toThrow(/are not an authority of ours/)
  rmSync(second.files.ca_key)
  expect(() => make(second.folder)).toThrow(/cannot be used again/)
})

test.each(['https://sluice.lan', 'a b', '', 'sluice.lan:8443', '-x.lan', 'fe80::1%eth0'])('"%s" is no host', (host) => {
  const folder = join(temporaryFolder(), 'tls')
  expect(() => makeCertificates(folder, ['sluice.lan', host], new FakeClock())).toThrow(/not a name or an address/)
  expect(existsSync(folder)).toBe(false)
})

test('serve cert makes them in the data folder, and prints what clients need', async () => {
  const data_dir = temporaryFolder()
  const { terminal, out, err } = capturedTerminal()
  const words = ['serve', 'cert', 'sluice.lan', '192.168.1.4', '--data-dir', data_dir]
  expect(await runCli(words, terminal, commands)).toBe(0)
  expect(out()).toBe(`${join(data_dir, 'tls/ca.pem')}\n`)
  expect(err()).toContain('service.ca_file')
  expect(new X509Certificate(readFileSync(join(data_dir, 'tls/server.pem'))).checkIP('192.168.1.4')).toBeDefined()
  expect(await runCli(words, terminal, commands)).toBe(78)
})
