import { describe, expect, test } from 'vitest'
import { filePart, head, mailOf, multipart, part, read, textPart } from './mails.ts'

const words = async (mail: Buffer | string, filename?: string) => {
  const found = await read(mail, filename)
  return 'text' in found ? found.text.replace(/\s+/g, ' ').trim() : found.unreadable
}
const short_head = ['From: a@b.example', 'Subject: Ropes', 'MIME-Version: 1.0']
const shown = 'From: a@b.example Subject: Ropes'
const one = (headers: readonly string[], body: string) => part([...short_head, ...headers], body)
const base64 = 'Content-Transfer-Encoding: base64'
const plain = 'Content-Type: text/plain; charset=utf-8'
const packed = (text: string) => Buffer.from(text).toString('base64')

const event = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'DTSTART:20260105T100000Z',
  'SUMMARY:Harbour meeting',
  'LOCATION:Room 4',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n')
const event_text = 'Start: 2026-01-05 10:00 UTC Summary: Harbour meeting Location: Room 4'

describe('an invitation', () => {
  test('its time and place stand beside its text, once', async () => {
    const invitation = multipart('alternative', [
      textPart('You are invited.'),
      textPart('<p>You are invited.</p>', 'text/html'),
      part(['Content-Type: text/calendar; method=REQUEST', base64], packed(event)),
    ])
    const copy = filePart('filename=invite.ics', event, 'application/ics')
    const found = await read(
      multipart('mixed', [invitation, copy], { headers: short_head, boundary: 'all' }),
    )
    expect(found).toMatchObject({ reading: { of: 1, seen: 1 } })
    expect('text' in found && found.text.replace(/\s+/g, ' ').trim()).toBe(
      `${shown} You are invited. ${event_text}`,
    )
  })

  test('alone it is read, too', async () =>
    expect(await words(one(['Content-Type: text/calendar'], event))).toBe(`${shown} ${event_text}`))
})

describe('bodies as programs send them', () => {
  const long = 'The ropes are new. '.repeat(9).trim()
  test.each<[string, string, string]>([
    [
      'a footer of a mailing list behind base64',
      one([plain, base64], `${packed(long)}\r\n_____\r\nHarbour list\r\n`),
      `${long}_____ Harbour list`,
    ],
    [
      'no empty line before the body',
      `${[...short_head, plain].join('\r\n')}\r\nThe ropes, all new.\r\nNote: they are long.\r\n`,
      'The ropes, all new. Note: they are long.',
    ],
    [
      'no empty line before the body of a part',
      multipart('mixed', [`${plain}\r\nThe ropes, all new.\r\n`], { headers: short_head }),
      'The ropes, all new.',
    ],
    [
      'a text that is not in base64',
      one([plain, base64], 'The ropes are new.'),
      'The ropes are new.',
    ],
    [
      'UTF-7',
      one(['Content-Type: text/plain; charset=UTF-7'], 'Gr+APwA3w-e 1 +- 2 +U3A.'),
      'Grüße 1 + 2 印.',
    ],
    [
      'lines that go on, whose last blank is no space',
      one(['Content-Type: text/plain; format=flowed; delsp=yes'], 'Hafen \r\namt'),
      'Hafenamt',
    ],
  ])('%s', async (_what, mail, body) => expect(await words(mail)).toBe(`${shown} ${body}`))

  test('what is not certain about a body is said', async () => {
    const bytes = Buffer.concat([Buffer.from(one([plain], 'Größe äöüß ÄÖÜ')), Buffer.from([0xff])])
    expect(await read(bytes)).toMatchObject({
      reading: { of: 1, seen: 1, why: 'the body: 1 of its characters is broken (UTF-8)' },
    })
  })
})

describe('forms of files', () => {
  test('lines that end in carriage returns alone', async () =>
    expect(await words(one([], 'The ropes').replaceAll('\r\n', '\r'), 'a.txt')).toBe(
      `${shown} The ropes`,
    ))

  test('what Apple notes behind a mail is none of it', async () => {
    const mail = one([], 'The ropes\r\n')
    const notes = '<?xml version="1.0"?>\n<plist><key>flags</key></plist>\n'
    expect(await words(`${mail.length}   \n${mail}${notes}`, 'a.emlx')).toBe(`${shown} The ropes`)
  })

  test('a mailbox without a name of its kind', async () => {
    const line = 'From - Mon Jan  5 10:00:00 2026\r\nX-Mozilla-Status: 0001\r\n'
    const box = `${line}${one([], 'One\r\n\r\n')}${line}${one([], 'Two\r\n')}`
    expect(await words(box, 'Inbox')).toBe(`${shown} One ${shown} Two`)
  })

  test('mail in mail has its whole subject, but no line of its text', async () => {
    const forward = (inner: string) => part(['Content-Type: message/rfc822'], inner)
    const subject = 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?Q?_vom_Kai?='
    const mail = mailOf('mixed', [
      textPart('See'),
      forward(part(['From: a@b', subject], 'Hello')),
      forward(part(['From: a@b'], 'Subject: no')),
    ])
    const names = (await words(mail)).match(/Attachment: \S+ \S+ ?\S+/g)
    expect(names).toEqual(['Attachment: Grüße vom Kai.eml', 'Attachment: 2 (message/rfc822) From:'])
  })

  test('too long headers are told from too many parts', async () => {
    const to = Array.from({ length: 20_000 }, (_, at) => `p${at}@b.example`).join(',\r\n ')
    expect(await words(part([...head, `To: ${to}`], 'Hello'))).toBe(
      'a mail with headers of more than 1048576 bytes or 16384 lines',
    )
  })
})
