import { describe, expect, test } from 'vitest'
import {
  compoundOf,
  numbers,
  oldProperties,
  oldWordDocument,
  properties,
  type Tree,
} from './compound-writer.ts'
import { read } from './mails.ts'

const list = '__properties_version1.0'
const storage = (id: number) => `__attach_version1.0_#0000000${id}`
const file = (name: string, content: Buffer | string) => ({
  ...properties({ 3707: name, 3701: Buffer.from(content as string) }),
  [list]: numbers(8),
})
const message = (streams: Tree, values?: Parameters<typeof numbers>[1]) =>
  compoundOf({ ...streams, [list]: numbers(32, values) })
const words = async (bytes: Buffer, filename = 'a.msg') => {
  const found = await read(bytes, filename)
  return 'text' in found ? found.text.replace(/\s+/g, ' ').trim() : found.unreadable
}
const headers = { '0037': 'Ropes', '0C1A': 'Jürgen Holm', '5D01': 'holm@harbour.example' }
const shown = 'From: Jürgen Holm <holm@harbour.example> Subject: Ropes'

describe('a message of Outlook (.msg)', () => {
  test('its headers, its body once, and its attachments', async () => {
    const recipient = {
      ...properties({ 3001: 'Yrsa', '39FE': 'yrsa@harbour.example' }),
      [list]: numbers(8, [[0x0c15_0003, 1]]),
    }
    const bytes = message({
      ...properties({
        ...headers,
        1000: 'The ropes are new.',
        1013: Buffer.from('<p>The ropes</p>'),
      }),
      '__recip_version1.0_#00000000': recipient,
      [storage(0)]: file('Pläne.txt', 'Berth four is closed.'),
      [storage(1)]: file('quay.png', Buffer.from([0, 1])),
    })
    expect(await read(bytes, 'a.msg')).toMatchObject({
      reading: {
        of: 3,
        seen: 2,
        unit: 'attachment',
        why: 'the attachment quay.png: the service does not read this kind of file',
      },
    })
    expect(await words(bytes, 'a')).toBe(
      'From: Jürgen Holm <holm@harbour.example> To: Yrsa <yrsa@harbour.example> Subject: Ropes The ropes are new. Attachment: Pläne.txt Berth four is closed. Attachment: quay.png',
    )
  })

  test('HTML alone, without its pictures, and RTF alone', async () => {
    const logo = { ...file('logo.png', Buffer.from([0, 1])), ...properties({ 3712: 'logo@a' }) }
    const page = Buffer.from('<p>The <b>ropes</b></p><img src="cid:logo@a">')
    const html = message({ ...properties({ ...headers, 1013: page }), [storage(0)]: logo })
    expect(await words(html)).toBe(`${shown} The ropes`)
    expect(await read(html, 'a.msg')).toMatchObject({ reading: { of: 1, seen: 1 } })
    const [plan, other] = [
      { ...file('plan.txt', 'Berth four'), ...properties({ 3712: 'logo@a' }) },
      { ...file('other.png', Buffer.from([0, 1])), ...properties({ 3712: 'logo' }) },
    ]
    const shown_in_place = { ...properties({ ...headers, 1013: page }), [storage(0)]: plan }
    expect(await words(message({ ...shown_in_place, [storage(1)]: other }))).toBe(
      `${shown} The ropes Attachment: plan.txt Berth four Attachment: other.png`,
    )
    const rtf = Buffer.from('{\\rtf1\\ansi The ropes}')
    const packed = Buffer.alloc(16)
    packed.writeUInt32LE(rtf.length + 12, 0)
    packed.writeUInt32LE(rtf.length, 4)
    packed.write('MELA', 8)
    const bytes = message(properties({ ...headers, 1009: Buffer.concat([packed, rtf]) }))
    expect(await words(bytes)).toBe(`${shown} The ropes`)
  })

  test('a text in an old character set', async () => {
    const subject = Buffer.from('cfeef7f2e020d0eef1f1e8e8', 'hex')
    const body = Buffer.from('cff0e8e2e5f2', 'hex')
    const bytes = message(oldProperties({ '0037': subject, 1000: body }), [[0x3fde_0003, 1251]])
    expect(await words(bytes)).toBe('Subject: Почта России Привет')
  })

  test('a message in a message', async () => {
    const inner = {
      ...properties({ '0037': 'Inner', 1000: 'The tide is high.' }),
      [list]: numbers(24),
    }
    const attachment = {
      ...properties({ 3001: 'Inner' }),
      '__substg1.0_3701000D': inner,
      [list]: numbers(8, [[0x3705_0003, 5]]),
    }
    const bytes = message({
      ...properties({ ...headers, 1000: 'See below.' }),
      [storage(0)]: attachment,
    })
    expect(await words(bytes)).toBe(
      `${shown} See below. Attachment: Inner.msg Subject: Inner The tide is high.`,
    )
  })
})

describe('a document of Word 97 to 2003 (.doc)', () => {
  test.each<[string, string, string]>([
    ['paragraphs, tabs and quotes', 'Berth\tfour\rit’s closed\r', 'Berth\tfour\nit’s closed'],
    ['a table', 'berth\u0007depth\u0007\u0007four\u00079 m\u0007\u0007', 'berth\tdepth\nfour\t9 m'],
    ['hyphens', 'Ha\u001ffen\u001eAmt\r', 'Hafen\u2011Amt'],
    [
      'a field in a field',
      'See \u0013 REF \u0013 PAGE \u0014 3 \u0015 \u0014berth \u0013 X \u0014four\u0015\u0015!\r',
      'See berth four!',
    ],
    [
      'a long text in large sectors',
      `${'The ropes are new. '.repeat(500)}\r`,
      'The ropes are new. '.repeat(500).trim(),
    ],
  ])('%s', async (_what, body, text) => {
    const found = await read(oldWordDocument(body), 'a.doc')
    expect('text' in found ? found.text.trim() : found).toBe(text)
  })

  test.each<[string, Buffer, string]>([
    ['a picture alone', oldWordDocument('\u0001\r'), 'it has no text, only pictures'],
    ['an encrypted one', oldWordDocument('Berth', { flags: 0x0100 }), 'encrypted'],
    [
      'Word 95',
      oldWordDocument('Berth', { version: 0xa5dc }),
      'in the format of Word before 97, which the service does not read',
    ],
    [
      'an encrypted one of today',
      compoundOf({ EncryptedPackage: Buffer.from('a'), EncryptionInfo: Buffer.from('b') }),
      'encrypted',
    ],
    [
      'another old kind',
      compoundOf({ VisioDocument: Buffer.from('a') }),
      'broken, or in a binary format that the service does not read',
    ],
  ])('%s fails with its reason', async (_what, bytes, reason) =>
    expect(await words(bytes, 'a.doc')).toBe(reason),
  )
})

describe('a hostile compound file is refused at once', () => {
  const circle = 'broken: a compound file whose sectors go in a circle'
  /** Changes a number of the file. */
  const changed = (at: (bytes: Buffer) => number, value: number | ((bytes: Buffer) => number)) => {
    const bytes = message(properties({ 1000: 'Hello', 1013: Buffer.alloc(9_000, 'a') }))
    bytes.writeInt32LE(typeof value === 'number' ? value : value(bytes), at(bytes))
    return bytes
  }
  const table = (bytes: Buffer) => (bytes.readInt32LE(76) + 1) * 512
  const directory = (bytes: Buffer) => (bytes.readInt32LE(48) + 1) * 512
  const root = (bytes: Buffer) => bytes.readInt32LE(directory(bytes) + 116)
  test.each<[string, Buffer, string]>([
    [
      'the directory goes in a circle',
      changed((bytes) => table(bytes) + 4 * bytes.readInt32LE(48), 0),
      circle,
    ],
    ['the root goes in a circle', changed((bytes) => table(bytes) + 4 * root(bytes), root), circle],
    ['the table has more parts than the file', changed(() => 72, 0x7fff_ffff), circle],
    [
      'entries go in a circle',
      changed((bytes) => directory(bytes) + 76, 0),
      'broken: a compound file whose entries go in a circle',
    ],
    [
      'a stream of 2 GB',
      changed((bytes) => directory(bytes) + 128 + 120, 0x7fff_ffff),
      'broken: a compound file whose streams are larger than the file',
    ],
    [
      'nothing but its mark',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'broken: a compound file without its header',
    ],
  ])('%s', async (_what, bytes, reason) => {
    expect(await words(bytes)).toBe(reason)
  })
})
