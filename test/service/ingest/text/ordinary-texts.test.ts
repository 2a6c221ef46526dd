import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readText } from '../../../../src/service/ingest/text/read-text.ts'

/** Bytes that look random, the same in each run. */
function noise(bytes: number, name = ''): Buffer {
  const parts = Array.from({ length: Math.ceil(bytes / 64) }, (_, at) =>
    createHash('sha512').update(`${name}${at}`).digest(),
  )
  return Buffer.concat(parts).subarray(0, bytes)
}

const base64 = (bytes: number, name?: string) => noise(bytes, name).toString('base64')
const base64url = (bytes: number, name?: string) => noise(bytes, name).toString('base64url')
const hex = (bytes: number, name?: string) => noise(bytes, name).toString('hex')
const times = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')
const wrapped = (text: string, length: number, before = '') =>
  text.replace(new RegExp(`.{1,${length}}`, 'g'), `${before}$&\n`)

const jwt = [
  Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  Buffer.from('{"sub":"1234567890","name":"Eva","admin":true,"iat":1516239022}').toString(
    'base64url',
  ),
  base64url(32),
].join('.')
const rsa = `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC${base64(384)}`
const ed25519 = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(32)}`
const certificate = wrapped(base64(900), 64)
const picture = `data:image/png;base64,${base64(3_000)}`
const prose = 'Die Fähre legt um neun Uhr ab und ist am Abend zurück. '.repeat(18)

const texts: readonly (readonly [what: string, filename: string, text: string])[] = [
  ['sha256sum', 'SHA256SUMS', times(20, (at) => `${hex(32, `${at}`)}  image-${at}.iso`)],
  ['one sha256sum', 'a.sha256', `${hex(32)}  debian.iso\n`],
  ['a checksum alone', 'a.sha256', `${hex(32)}\n`],
  ['checksums alone', 'sums.txt', times(50, (at) => hex(32, `${at}`))],
  ['SHA-512', 'SHA512SUMS', times(9, (at) => `${hex(64, `${at}`)} *backup-${at}.tar`)],
  ['SHA-512 alone', 'sums', times(9, (at) => hex(64, `${at}`))],
  ['BSD checksums', 'CHECKSUM', times(9, (at) => `SHA256 (disk${at}.img) = ${hex(32, `${at}`)}`)],
  ['integrity in base64', 'integrity.txt', times(9, (at) => `${base64(64, `${at}`)}`)],
  ['md5sum', 'MD5SUMS', times(9, (at) => `${hex(16, `${at}`)}  ./a${at}.txt`)],
  ['known_hosts', 'known_hosts', times(9, (at) => `host${at}.example ${ed25519}`)],
  [
    'hashed known_hosts',
    'known_hosts',
    times(9, (at) => `|1|${base64(20, `${at}`)}|${base64(20, `b${at}`)} ${ed25519}`),
  ],
  ['authorized_keys', 'authorized_keys', `${rsa} eva@hafen\n${ed25519} jonas@hafen\n`],
  ['a public key', 'id_rsa.pub', `${rsa} eva@hafen\n`],
  ['a public key without a name', 'id_ed25519.pub', `${ed25519}\n`],
  ['DKIM', 'zone.txt', `s1._domainkey IN TXT "v=DKIM1; k=rsa; p=${base64(294)}"`],
  ['DNSSEC', 'zone.txt', `example. 3600 IN DNSKEY 257 3 8 ${base64(256)}`],
  ['keys of WireGuard', 'keys.txt', times(9, (at) => base64(32, `${at}`))],
  [
    'settings of WireGuard',
    'wg0.conf',
    `[Interface]\nPrivateKey = ${base64(32)}\n[Peer]\nPublicKey = ${base64(32, 'b')}\n`,
  ],
  ['tokens alone', 'tokens.txt', times(30, (at) => hex(24, `${at}`).toUpperCase())],
  [
    'tokens of letters',
    'tokens.txt',
    times(30, (at) => base64(90, `${at}`).replace(/[+/=]/g, '').slice(0, 64)),
  ],
  ['licence keys', 'licences.txt', times(9, (at) => hex(10, `${at}`).replace(/.{5}/g, '$&-'))],
  ['UUIDs', 'ids.txt', times(30, (at) => hex(16, `${at}`).replace(/^.{8}|.{4}/g, '$&-'))],
  [
    'a log with tokens',
    'app.log',
    times(30, (at) => `10:0${at % 9} login ${base64url(72, `${at}`)}`),
  ],
  ['a log of bearers', 'app.log', times(9, () => `GET /v1 401 Bearer ${jwt}`)],
  ['JSON with a token', 'a.json', `{"note": "Schlüssel von Eva", "token": "${jwt}"}`],
  ['a token alone', 'token.txt', jwt],
  [
    'a key set',
    'jwks.json',
    `{"keys":[{"kty":"RSA","use":"sig","e":"AQAB","n":"${base64url(256)}"}]}`,
  ],
  ['environment', 'settings.txt', `SECRET=${base64(96)}\nDATABASE=hafen\n`],
  [
    'a secret of Kubernetes',
    'secret.yaml',
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: hafen\ndata:\n  tls.crt: ${base64(900)}\n`,
  ],
  [
    'kubeconfig',
    'config',
    `apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    certificate-authority-data: ${base64(1_500)}\n    server: https://hafen.example\n  name: hafen\nusers:\n- name: eva\n  user:\n    client-certificate-data: ${base64(1_500)}\n`,
  ],
  [
    'a certificate in YAML',
    'tls.yaml',
    `hafen:\n  name: Zertifikat des Hafens\n  crt: |\n${wrapped(base64(900), 64, '    ')}`,
  ],
  [
    'SAML',
    'idp.xml',
    `<EntityDescriptor entityID="hafen"><KeyDescriptor><X509Certificate>${certificate}</X509Certificate></KeyDescriptor></EntityDescriptor>`,
  ],
  [
    'camelCase',
    'names.txt',
    'eineSehrLangeBezeichnungDieAusVielenWoertern2BestehtUndKeinEndeNimmtOderDoch',
  ],
  [
    'constants',
    'names.txt',
    'MAX_LENGTH_OF_A_NAME_THAT_HAS_MANY_WORDS_AND_DIGITS_123_AND_NO_END_AT_ALL_YET',
  ],
  ['a page with a picture', 'a.html', `<p>${prose}</p><img src="${picture}">`],
  ['Markdown with a picture', 'a.md', `${prose}\n\n![Plan](${picture})\n`],
  [
    'a short note with a large picture',
    'a.md',
    `Der Plan des Hafens\n\n![](data:image/png;base64,${base64(200_000)})\n`,
  ],
  ['Markdown with its pictures at the end', 'a.md', `Der Plan: ![][a]\n\n[a]: ${picture}\n`],
  ['JSON with a picture', 'a.json', `{"name": "Eva", "town": "Kiel", "photo": "${picture}"}`],
  ['CSV with pictures', 'a.csv', `name,town,photo\nEva,Kiel,${picture}\nJonas,Emden,${picture}\n`],
  [
    'a style with a font',
    'a.css',
    `body { color: black }\n@font-face { src: url(data:font/woff2;base64,${base64(9_000)}) }`,
  ],
  ['YAML', 'a.yaml', 'from: Kiel\nto: Emden\nreceived: yes\nnote: Die Fähre\n'],
  [
    'YAML of a delivery',
    'a.yml',
    'from: Kiel\nto: Emden\nsubject: Seile\nreceived: 2026-01-02\nreturn-path: by sea\n',
  ],
  [
    'a memo',
    'memo.txt',
    'From: Eva\nTo: Jonas\nDate: Monday\nSubject: Ropes\nReceived: 12 ropes\n\nThey are new.\n',
  ],
  [
    'a memo of a message',
    'memo.txt',
    'From: Eva\nTo: Jonas\nMessage-ID: 12\nSubject: Ropes\n\nThey are new.\n',
  ],
  [
    'a record with a frame',
    'a.txt',
    '---- BEGIN PROTOKOLL ----\nDie Sitzung beginnt.\n---- END PROTOKOLL ----\n',
  ],
  [
    'a record with a longer frame',
    'a.txt',
    '-----BEGIN NOTES-----\nThe session begins.\n-----END NOTES-----\n',
  ],
  [
    'XML of another workbook',
    'a.xml',
    '<?xml version="1.0"?>\n<workbook><page>Seile</page></workbook>',
  ],
  ['XML of another package', 'a.xml', '<package><name>Seile</name></package>'],
  ['a beginning', 'a.txt', 'begin 644 Anfang\nTest\nend\n'],
  ['a beginning of long words', 'a.txt', 'begin 755 Anfang\nLANGESWORT und mehr\n'],
  ['platform 2', 'a.txt', 'P2 14 30 Uhr Abfahrt\n'],
  ['values', 'a.txt', '# N\n\nv 1.2 3.4 5.6 Werte\n'],
  ['a heading of VRML', 'a.md', '#VRML ist alt\n\nEin Text darüber.\n'],
  ['a solid', 'a.txt', 'solid ground\n\nA text.\n'],
  ['TeX', 'a.tex', '{\\large \\pard Titel}\n'],
  [
    'a text about PDF',
    'a.md',
    '1 0 obj\n<< /Type /Catalog >>\nendobj\n\nSo beginnt der Katalog.\n',
  ],
  [
    'a page that begins with a picture',
    'a.html',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><h1>Der Hafen</h1>',
  ],
]

describe('a text with words in it is a text, whatever keys, checksums or pictures stand beside them', () => {
  test.each(texts)('%s (%s)', (_what, filename, text) =>
    expect(readText({ filename, mime_type: '', bytes: Buffer.from(text) })).toMatchObject({
      reading: { of: 1, seen: 1 },
    }),
  )
})

test.each(['a.md', 'a.csv', 'a.json', 'a.html'])(
  'the bytes of a picture are no text: %s',
  (filename) => {
    const text = `<p>Eva, Kiel, 1 ![Plan](${picture}) und ein Ende</p>`
    const read = readText({ filename, mime_type: '', bytes: Buffer.from(text) })
    const found = 'text' in read ? read.text : ''
    expect(found).toContain('Eva, Kiel, 1 ![Plan]')
    expect(found).toContain('und ein Ende')
    expect(found.length).toBeLessThan(70)
  },
)

test('a short data URI in a text about them stays', () => {
  const text = 'An example is data:text/plain,Hello in an address.'
  expect(readText({ filename: 'a.txt', mime_type: '', bytes: Buffer.from(text) })).toMatchObject({
    text,
  })
})
