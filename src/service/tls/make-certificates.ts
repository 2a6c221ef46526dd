import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../../base/run/errors.ts'
import { type Clock, day_ms } from '../../base/time/time.ts'
import { refused } from '../faults/faults.ts'
import { makeCertificate } from './certificate-der.ts'
import { checkKeyMode } from './tls-files.ts'

export type CertificateFiles = ReturnType<typeof certificateFiles>

/** The authority is valid for ten years, because users copy it to each client by hand. */
const authority_lifetime_ms = 3_650 * day_ms
/** Common systems accept a server's certificate for at most 825 days, `clock_skew_ms` included. */
const server_lifetime_ms = 824 * day_ms
/** Certificates begin this long before now, so that a client with a slow clock accepts them. */
const clock_skew_ms = day_ms

/**
 * Makes a certificate for these names and addresses, and a private authority that signs it. If the
 * folder has an authority, that one signs. Overwrites nothing. Error `config.service`.
 */
export function makeCertificates(
  folder: string,
  hosts: readonly string[],
  clock: Clock,
): CertificateFiles {
  for (const host of hosts) checkHost(host)
  const files = certificateFiles(folder)
  refuseToOverwrite(files)
  makeFolder(folder)
  const now_ms = clock.now_ms()
  const authority = existsSync(files.ca)
    ? readAuthority(files, now_ms)
    : makeAuthority(files, now_ms)
  const server = newKeys()
  const wanted_until_ms = now_ms + server_lifetime_ms
  const cert = makeCertificate({
    subject: hosts[0]!.length <= 64 ? hosts[0]! : 'Sluice service',
    issuer: authority.name,
    public_key: server.publicKey,
    issuer_key: authority.key,
    not_before_ms: now_ms - clock_skew_ms,
    not_after_ms: Math.min(wanted_until_ms, authority.valid_to_ms),
    hosts,
  })
  writeNew(files.key, pem(server.privateKey), 0o600)
  writeNew(files.cert, cert, 0o644)
  return files
}

function certificateFiles(folder: string) {
  return {
    /** The certificate that every client trusts (`service.ca_file`). */
    ca: join(folder, 'ca.pem'),
    /** The key that signs further certificates: it stays on this machine, 0600. */
    ca_key: join(folder, 'ca.key'),
    cert: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
  }
}

interface Authority {
  name: string
  key: KeyObject
  valid_to_ms: number
}

function makeAuthority(files: CertificateFiles, now_ms: number): Authority {
  const { publicKey: public_key, privateKey: key } = newKeys()
  // Each authority gets another name, because a client cannot tell two with the same name apart.
  const name = `Sluice private authority ${randomBytes(4).toString('hex')}`
  const valid_to_ms = now_ms + authority_lifetime_ms
  const times = { not_before_ms: now_ms - clock_skew_ms, not_after_ms: valid_to_ms }
  const ca = makeCertificate({
    subject: name,
    issuer: name,
    public_key,
    issuer_key: key,
    ...times,
    hosts: undefined,
  })
  writeNew(files.ca_key, pem(key), 0o600)
  writeNew(files.ca, ca, 0o644)
  return { name, key, valid_to_ms }
}

function readAuthority(files: CertificateFiles, now_ms: number): Authority {
  const { certificate, key } = readPair(files)
  checkKeyMode(files.ca_key)
  const [, name] = /^CN=(.*)$/.exec(certificate.subject) ?? []
  const valid_to_ms = Date.parse(certificate.validTo)
  if (
    name === undefined ||
    !certificate.ca ||
    !certificate.checkPrivateKey(key) ||
    valid_to_ms <= now_ms
  ) {
    throw refused(
      `${files.ca} and ${files.ca_key} are not a valid authority of Sluice, or have expired`,
      'move both files away: then a new authority is made, and every client needs its certificate',
    )
  }
  return { name, key, valid_to_ms }
}

function readPair(files: CertificateFiles): { certificate: X509Certificate; key: KeyObject } {
  try {
    return {
      certificate: new X509Certificate(readFileSync(files.ca)),
      key: createPrivateKey(readFileSync(files.ca_key)),
    }
  } catch (error) {
    throw refused(
      `the authority ${files.ca} cannot be used again: ${messageOf(error)}`,
      'restore both of its files, or move them away: then a new authority is made',
    )
  }
}

/** Throws if a file to write exists: it may be in use. A new `ca` would not fit an old `ca_key`. */
function refuseToOverwrite({ ca, ca_key, cert, key }: CertificateFiles): void {
  const hint = 'move it away, or name another folder with --dir'
  const in_the_way = [cert, key].find(existsSync)
  if (in_the_way !== undefined)
    throw refused(`${in_the_way} already exists and is not overwritten`, hint)
  if (!existsSync(ca) && existsSync(ca_key)) throw refused(`${ca_key} exists without ${ca}`, hint)
}

function checkHost(host: string): void {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  if (isIP(host) !== 0 && !host.includes('%')) return
  // A host that ends in a number is an address to every client (WHATWG URL, "ends in a number"),
  // but this one is not valid.
  const is_name = !/(^|\.)\d+$/.test(host)
  if (
    is_name &&
    host.length <= 253 &&
    new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`, 'i').test(host)
  )
    return
  throw refused(
    `"${host}" is not a name or an address of a host`,
    'give a name such as sluice.lan or 192.168.1.4, without https://',
  )
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function makeFolder(folder: string): void {
  orUnwritable(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
}

function writeNew(file: string, text: string, mode: number): void {
  orUnwritable(file, () => writeFileSync(file, text, { flag: 'wx', mode, flush: true }))
}

function orUnwritable(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw refused(
      `${path} cannot be written: ${messageOf(error)}`,
      'name a folder that you may write to with --dir',
      error,
    )
  }
}
