import { describe, expect, test } from 'vitest'
import type { ReadDocument } from '../../../../src/service/ingest/document-text.ts'
import { wordDocument } from '../zip.ts'
import { filePart, head, mailOf, multipart, part, read, textPart } from './mails.ts'

const word = (words: string) => wordDocument(`<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`)
const found = async (mail: string, filename?: string) => {
  const result = await read(mail, filename)
  return 'text' in result ? result.text.replace(/\s+/g, ' ').trim() : result.unreadable
}
const shown =
  'From: Jürgen Holm <holm@harbour.example> To: Yrsa <yrsa@harbour.example> Date: Mon, 5 Jan 2026 10:00:00 +0100 Subject: Lieferschein für Kai 3'
const html = (body: string, type = 'text/html; charset=utf-8') =>
  textPart(`<html><body>${body}</body></html>`, type)
const encoded = (encoding: string, type: string, body: string) =>
  part([`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`], body)

describe('the headers that people ask for, and the body once', () => {
  test.each<[string, string, string]>([
    [
      'plain',
      part([...head, 'Content-Type: text/plain'], 'The ropes are new.'),
      'The ropes are new.',
    ],
    [
      'quoted-printable in Latin-1',
      part(
        [
          ...head,
          'Content-Type: text/plain; charset=iso-8859-1',
          'Content-Transfer-Encoding: quoted-printable',
        ],
        'F=FCr den=\r\n Kai',
      ),
      'Für den Kai',
    ],
    [
      'base64',
      mailOf('mixed', [
        encoded(
          'base64',
          'text/plain; charset=utf-8',
          Buffer.from('Grüße vom Kai').toString('base64'),
        ),
      ]),
      'Grüße vom Kai',
    ],
    [
      'plain text and its HTML twin',
      mailOf('alternative', [
        textPart('The ropes are new.'),
        html('<p>The <b>ropes</b> are new!</p>'),
      ]),
      'The ropes are new.',
    ],
    [
      'HTML alone',
      mailOf('alternative', [html('<p>The <b>ropes</b></p><script>let a</script>')]),
      'The ropes',
    ],
    [
      'HTML in the charset of the mail, not of its page',
      mailOf('mixed', [
        part(
          ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64'],
          Buffer.from('<meta charset="windows-1252"><p>Grüße</p>').toString('base64'),
        ),
      ]),
      'Grüße',
    ],
    [
      'a twin that only points to the HTML',
      mailOf('alternative', [
        textPart('See the HTML.'),
        html(`<p>${'The ropes are new. '.repeat(5)}</p>`),
      ]),
      'The ropes are new. '.repeat(5).trim(),
    ],
    [
      'lines that go on',
      part(
        [...head, 'Content-Type: text/plain; format=flowed'],
        'The ropes \r\nare new.\r\n-- \r\nErika',
      ),
      'The ropes are new. -- Erika',
    ],
    [
      'a multipart without its boundary',
      part([...head, 'Content-Type: multipart/mixed'], 'The ropes are new.'),
      'The ropes are new.',
    ],
    [
      'a multipart without an end',
      mailOf('mixed', [textPart('The ropes are new.')]).replace(/--b-mixed--\s*$/, ''),
      'The ropes are new.',
    ],
  ])('%s', async (_what, mail, body) => expect(await found(mail)).toBe(`${shown} ${body}`))

  test('a mark of UTF-8, the line of a mailbox and the number of Apple stand before it', async () => {
    const mail = part(head, 'The ropes are new.')
    const line = 'From holm@harbour.example Mon Jan  5 10:00:00 2026\r\n'
    for (const before of ['\ufeff', '412\n', line])
      expect(await found(before + mail), before).toBe(`${shown} The ropes are new.`)
  })

  test('a long list of people is cut, so that the mail stays short', async () => {
    const to = Array.from({ length: 900 }, (_, at) => `p${at}@harbour.example`).join(',\r\n ')
    const text = await found(
      part([`To: ${to}`, ...head.filter((line) => !line.startsWith('To'))], 'Hello'),
    )
    expect(text).toContain('p99@harbour.example')
    expect(text.length).toBeLessThan(5_000)
  })
})

describe('attachments are read as files of their kinds', () => {
  test('each is a unit, with its name', async () => {
    const mail = mailOf('mixed', [
      multipart('alternative', [textPart('See the plan.'), html('<p>See the plan!</p>')]),
      filePart("filename*=utf-8''Pl%C3%A4ne%20Kai.docx", word('Berth four is closed.')),
      filePart('filename="=?UTF-8?B?w7xiZXIuY3N2?="', 'berth,depth\nfour,9 m\n', 'text/csv'),
      part(
        ['Content-Type: message/rfc822'],
        part([...head, 'Content-Type: text/plain'], 'The tide is high.'),
      ),
    ])
    const result = await read(mail)
    expect(result).toMatchObject({ reading: { of: 4, seen: 4, unit: 'attachment' } })
    const { text, tables } = result as ReadDocument
    expect(text.replace(/\s+/g, ' ')).toBe(
      `${shown} See the plan. Attachment: Pläne Kai.docx Berth four is closed. Attachment: über.csv berth,depth four,9 m Attachment: Lieferschein für Kai 3.eml ${shown} The tide is high. `,
    )
    expect(tables.map(({ from }) => text.slice(from, from + 5))).toEqual(['berth'])
  })

  test('one that is not read is a unit not seen, and the reason names it', async () => {
    const mail = mailOf('mixed', [
      textPart('See the plan.'),
      filePart('filename=plan.zip', Buffer.from('504b0506000000000000', 'hex')),
      filePart('filename=quay.png', Buffer.from('89504e470d0a1a0a00', 'hex'), 'image/png'),
      filePart('filename=winmail.dat', Buffer.from([0x78, 0x9f, 0, 1])),
      filePart('filename=smime.p7m', Buffer.from([0x30, 0x80, 0, 1]), 'application/pkcs7-mime'),
      filePart('filename=blank.txt', ' \n'),
    ])
    expect(await read(mail)).toMatchObject({
      reading: {
        of: 6,
        seen: 2,
        why: expect.stringMatching(
          /^the attachment plan\.zip: .+; the attachment quay\.png: it has no text, only pictures; the attachment winmail\.dat: it is mail in the format of Outlook \(TNEF\), .+; the attachment smime\.p7m: it is encrypted, or signed .+$/,
        ),
      },
    })
  })

  test('what is missing in one is said, and many are counted', async () => {
    const inner = mailOf('mixed', [
      textPart('Inner'),
      filePart('filename=quay.png', Buffer.from([0, 1]), 'image/png'),
    ])
    const zips = Array.from({ length: 7 }, (_, at) =>
      filePart(`filename=${at}.zip`, Buffer.from([0, at])),
    )
    const result = await read(
      mailOf('mixed', [textPart('See'), filePart('filename=fwd.eml', inner), ...zips]),
    )
    expect(result).toMatchObject({
      reading: {
        of: 9,
        seen: 1,
        why: expect.stringMatching(
          /^the attachment fwd\.eml: the attachment quay\.png: .+; 3 attachments more$/,
        ),
      },
    })
  })

  test('a picture that the HTML shows, a signature and the files of a saved page are none', async () => {
    const logo = part(
      ['Content-Type: image/png', 'Content-ID: <logo@a>', 'Content-Transfer-Encoding: base64'],
      'iVBORw0KGgo=',
    )
    const mail = mailOf('signed', [
      multipart('related', [html('<p>Hello</p><img src="cid:logo@a">'), logo]),
      filePart('filename=smime.p7s', Buffer.from([0x30]), 'application/pkcs7-signature'),
    ])
    expect(await read(mail)).toMatchObject({ reading: { of: 1, seen: 1 } })
    const page = [
      part(
        ['Content-Type: text/html', 'Content-Location: http://a/'],
        '<p>Berth four</p><img src="b.png">',
      ),
      part(['Content-Type: text/css', 'Content-Location: http://a/a.css'], 'p { color: red }'),
      part(['Content-Type: image/png', 'Content-Location: http://a/b.png'], 'bytes'),
      part(['Content-Type: text/xml', 'Content-Location: http://a/list.xml'], '<xml>list</xml>'),
    ]
    const saved = await read(
      multipart('related', page, { headers: ['MIME-Version: 1.0'] }),
      'a.mht',
    )
    expect(saved).toMatchObject({
      text: expect.stringMatching(/^\s*Berth four\s*$/),
      reading: { of: 1, seen: 1 },
    })
  })

  test.each([
    ['a document that the HTML shows', ['Content-ID: <a@b>']],
    ['a document with an address', ['Content-Location: plan.txt']],
  ])('%s is an attachment', async (_what, headers) => {
    const plan = part(
      ['Content-Type: application/octet-stream; name=plan.txt', ...headers],
      'Low tide',
    )
    const mail = mailOf('related', [html('<object data="cid:a%40b"></object>'), plan])
    expect(await found(mail)).toBe(`${shown} Attachment: plan.txt Low tide`)
  })

  test('a picture whose id only begins like the one that the HTML shows is an attachment', async () => {
    const [one, other] = ['a@b', 'a'].map((id) =>
      part(['Content-Type: image/png', `Content-ID: <${id}>`], 'bytes'),
    )
    const mail = mailOf('related', [html('<p>Hello</p><img src="cid:a%40b">'), one!, other!])
    expect(await read(mail)).toMatchObject({ reading: { of: 2 } })
  })

  test('a mail of a picture alone has a subject, one without a word fails', async () => {
    const picture = filePart('filename=quay.png', Buffer.from([0, 1]), 'image/png')
    expect(await read(mailOf('mixed', [picture]))).toMatchObject({ reading: { of: 2, seen: 1 } })
    const silent = multipart('mixed', [picture], {
      headers: ['From: a@b.example', 'MIME-Version: 1.0'],
    })
    expect(await read(silent)).toEqual({
      unreadable:
        'it has no text: the attachment quay.png: the service does not read this kind of file',
      has_no_text: true,
    })
  })
})

describe('the bytes show mail under any name', () => {
  test.each([
    [
      'a.txt',
      mailOf('mixed', [encoded('base64', 'text/plain', 'VGhlIHJvcGVz')]),
      `${shown} The ropes`,
    ],
    [
      'a.txt',
      'From: a@b\nTo: c@d\nSubject: memo\n\nHello',
      'From: a@b To: c@d Subject: memo Hello',
    ],
    ['a.eml', 'Subject: only one header\n\nHello', 'Subject: only one header Hello'],
    ['a.eml', 'No header at all', 'No header at all'],
  ])('%s: case %#', async (filename, mail, text) => expect(await found(mail, filename)).toBe(text))
})

describe('a mailbox', () => {
  const line = 'From holm@harbour.example Mon Jan  5 10:00:00 2026\n'
  const mail = (subject: string, body: string) => `${line}Subject: ${subject}\n\n${body}\n\n`

  test('each message is a part; lines that look like a separator are none', async () => {
    const first = mail(
      'one',
      '>From here on it is mine\n>>From there\n\nFrom the pier we see all.\nFrom a@b.example Mon Jan  5 10:00:00 2026',
    )
    const result = await read(first + mail('two', 'The tide is high.'), 'a.mbox')
    expect(result).toMatchObject({ reading: { of: 2, seen: 2, unit: 'part' } })
    expect((result as { text: string }).text.replace(/\s+/g, ' ').trim()).toBe(
      'Subject: one From here on it is mine >From there From the pier we see all. From a@b.example Mon Jan 5 10:00:00 2026 Subject: two The tide is high.',
    )
  })

  test('a sentence that looks like a separator begins no message, and nothing is lost', async () => {
    const first = mail('one', 'We leave.\n\nFrom here on we meet at 10:30 2026\nBring the ropes.')
    const result = await read(first + mail('two', 'Hello'), 'a.mbox')
    expect(result).toMatchObject({
      text: expect.stringContaining('Bring the ropes.'),
      reading: { of: 2, seen: 2 },
    })
  })

  test('an attachment that is not read is named with its message', async () => {
    const bad = mailOf('mixed', [
      textPart('See'),
      filePart('filename=plan.zip', Buffer.from([0, 1])),
    ])
    expect(await read(`${mail('one', 'Hello')}${line}${bad}`, 'a.mbox')).toMatchObject({
      reading: {
        of: 2,
        seen: 1,
        why: 'message 2: the attachment plan.zip: the service does not read this kind of file',
      },
    })
  })

  test('10,000 messages are within its limits', async () => {
    const all = Array.from({ length: 10_000 }, (_, at) => mail(`number ${at}`, `Body ${at}.`)).join(
      '',
    )
    expect(await read(all, 'a.mbox')).toMatchObject({ reading: { of: 10_000, seen: 10_000 } })
  })
})

describe('hostile mail ends within its limits', () => {
  const limit = 'a mail with more than 1000 parts'
  const nested = (depth: number): string =>
    depth === 0
      ? part(head, 'Deep')
      : mailOf('mixed', [
          textPart(`Level ${depth}`),
          filePart('filename=fwd.eml', nested(depth - 1)),
        ])

  test.each<[string, string, string]>([
    [
      '10,000 parts',
      mailOf(
        'mixed',
        Array.from({ length: 10_000 }, () => textPart('part')),
      ),
      limit,
    ],
    [
      'nesting without an end',
      head.join('\r\n') +
        Array.from(
          { length: 5_000 },
          (_, at) => `\r\nContent-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`,
        ).join(''),
      limit,
    ],
    [
      'a huge header',
      part([...head, `X-Huge: ${'a'.repeat(2_000_000)}`], 'Hello'),
      'a mail with headers of more than 1048576 bytes or 16384 lines',
    ],
  ])('%s', async (_what, mail, reason) => expect(await read(mail)).toEqual({ unreadable: reason }))

  test('mail in mail is read to a depth', async () => {
    const result = await read(nested(6))
    expect(result).toMatchObject({
      text: expect.stringMatching(/Level 6[\s\S]*Level 3/),
      reading: {
        seen: 1,
        of: 2,
        why: expect.stringContaining('more than 3 documents hold one another'),
      },
    })
    expect((result as { text: string }).text).not.toContain('Level 2')
  })

  test('attachments share the limit of the text', async () => {
    const big = filePart('filename=a.txt', 'The ropes are new. '.repeat(300_000))
    expect(await read(mailOf('mixed', [big, big]))).toEqual({
      unreadable: 'it has more than 10000000 characters of text',
    })
  })
})
