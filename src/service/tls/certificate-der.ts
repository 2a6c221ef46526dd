import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import * as asn1 from 'asn1js'

/** The content of an X.509 certificate (RFC 5280), signed with ECDSA over P-256 and SHA-256. */
export interface CertificateFields {
  subject: string
  issuer: string
  public_key: KeyObject
  /** The private key of the issuer. */
  issuer_key: KeyObject
  not_before_ms: number
  not_after_ms: number
  /** Names and addresses of a server. Undefined: an authority, which signs only for servers. */
  hosts: readonly string[] | undefined
}

const oids = {
  common_name: '2.5.4.3',
  ecdsa_with_sha256: '1.2.840.10045.4.3.2',
  subject_key: '2.5.29.14',
  key_usage: '2.5.29.15',
  alternative_names: '2.5.29.17',
  basic_constraints: '2.5.29.19',
  authority_key: '2.5.29.35',
  extended_usage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
} as const

/** Makes and signs a certificate. Returns it as PEM. */
export function makeCertificate(wish: CertificateFields): string {
  const algorithm = () => sequence(oid('ecdsa_with_sha256'))
  const body = sequence(
    tagged(0, [new asn1.Integer({ value: 2 })]),
    new asn1.Integer({ valueHex: serial() }),
    algorithm(),
    nameOf(wish.issuer),
    sequence(time(wish.not_before_ms), time(wish.not_after_ms)),
    nameOf(wish.subject),
    asn1.fromBER(spki(wish.public_key)).result,
    tagged(3, [sequence(...extensionsOf(wish))]),
  )
  const signature = sign('sha256', Buffer.from(body.toBER()), wish.issuer_key)
  const der = sequence(body, algorithm(), new asn1.BitString({ valueHex: signature })).toBER()
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)!
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function extensionsOf({ hosts, public_key, issuer_key }: CertificateFields): asn1.Sequence[] {
  const is_authority = hosts === undefined
  // Named bits count from the highest: digitalSignature is 0, keyCertSign 5, cRLSign 6.
  const usage = is_authority
    ? { valueHex: Uint8Array.of(0b0000_0110), unusedBits: 1 }
    : { valueHex: Uint8Array.of(0b1000_0000), unusedBits: 7 }
  const basics = is_authority
    ? [new asn1.Boolean({ value: true }), new asn1.Integer({ value: 0 })]
    : []
  return [
    extension('basic_constraints', sequence(...basics), 'critical'),
    extension('key_usage', new asn1.BitString(usage), 'critical'),
    extension('subject_key', new asn1.OctetString({ valueHex: keyId(public_key) })),
    extension('authority_key', sequence(primitive(0, keyId(createPublicKey(issuer_key))))),
    ...(hosts === undefined
      ? []
      : [
          extension('extended_usage', sequence(oid('server'))),
          extension('alternative_names', sequence(...hosts.map(alternativeName))),
        ]),
  ]
}

function extension(
  name: keyof typeof oids,
  value: asn1.BaseBlock,
  critical?: 'critical',
): asn1.Sequence {
  return sequence(
    oid(name),
    ...(critical ? [new asn1.Boolean({ value: true })] : []),
    new asn1.OctetString({ valueHex: value.toBER() }),
  )
}

function alternativeName(host: string): asn1.Primitive {
  return isIP(host) === 0
    ? primitive(2, Buffer.from(host, 'latin1'))
    : primitive(7, addressBytes(host))
}

/** The 4 or 16 bytes of an address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The URL parser reads every form of an IPv6 address and writes one form.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text = '') => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [
    ...groups(head),
    ...Array<string>(tail === undefined ? 0 : missing).fill('0'),
    ...groups(tail),
  ]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function nameOf(common_name: string): asn1.Sequence {
  return sequence(
    new asn1.Set({
      value: [sequence(oid('common_name'), new asn1.Utf8String({ value: common_name }))],
    }),
  )
}

/** In whole seconds. UTCTime up to 2049, GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
function time(at_ms: number): asn1.UTCTime {
  const valueDate = new Date(at_ms - (at_ms % 1_000))
  return valueDate.getUTCFullYear() < 2050
    ? new asn1.UTCTime({ valueDate })
    : new asn1.GeneralizedTime({ valueDate })
}

/** A positive number of 16 random bytes. */
function serial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(spki(key)).digest().subarray(0, 20)
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

function oid(name: keyof typeof oids): asn1.ObjectIdentifier {
  return new asn1.ObjectIdentifier({ value: oids[name] })
}

function sequence(...value: asn1.AsnType[]): asn1.Sequence {
  return new asn1.Sequence({ value })
}

function tagged(tagNumber: number, value: asn1.AsnType[]): asn1.Constructed {
  return new asn1.Constructed({ idBlock: { tagClass: 3, tagNumber }, value })
}

function primitive(tagNumber: number, valueHex: Buffer): asn1.Primitive {
  return new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex })
}
