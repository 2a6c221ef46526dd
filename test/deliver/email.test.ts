import { expect, test } from 'vitest'
import { deliver } from '../../src/deliver/deliver.ts'
import type { EmailTarget } from '../../src/deliver/target.ts'
import { test_certificate } from '../remote/test-certificate.ts'
import { makeTree } from '../rig/tree.ts'
import { faultOf, message, tools } from './delivery-tools.ts'
import { parsePart, startMailReceiver } from './mail-receiver.ts'

type Smtp = EmailTarget['smtp']
const files = makeTree({ ca: test_certificate, right: 'right\n', wrong: 'wrong-and-secret' })

function target(
  port: number,
  smtp: Partial<Smtp> = {},
  changes: Partial<EmailTarget> = {},
): EmailTarget {
  return {
    kind: 'email',
    name: 'email',
    to: ['team@example.org', 'Boss Ä <boss@example.org>'],
    from: 'Sluice <sluice@example.net>',
    smtp: { host: '127.0.0.1', port, tls: 'none', ...smtp },
    ...changes,
  }
}

test('one mail with text and HTML; headers from the message, its Message-ID the same at every try', async () => {
  const receiver = await startMailReceiver()
  for (const _ of [1, 2]) {
    expect(
      await deliver(target(receiver.port), message({ text: '# Grüße\n\n**neu**\n' }), tools()),
    ).toEqual({
      ok: true,
    })
  }
  const ids = receiver.received.map(({ raw }) => parsePart(raw).headers.get('message-id'))
  expect(ids).toEqual([
    ['<weekly-digest-2026-11-23@example.net>'],
    ['<weekly-digest-2026-11-23@example.net>'],
  ])
  const [mail] = receiver.received
  expect(mail).toMatchObject({
    from: 'sluice@example.net',
    to: ['team@example.org', 'boss@example.org'],
  })
  const { headers, parts } = parsePart(mail!.raw)
  expect(headers.get('subject')).toEqual(['Weekly digest'])
  expect(headers.get('from')).toEqual(['Sluice <sluice@example.net>'])
  expect(Date.parse(headers.get('date')![0]!)).toBe(message().at_ms)
  expect(parts.map((part) => part.headers.get('content-type')?.[0])).toEqual([
    'text/plain; charset=utf-8',
    'text/html; charset=utf-8',
  ])
  expect(parts[0]!.body.replaceAll('\r\n', '\n')).toBe('Grüße\n\nneu\n\n')
  expect(parts[1]!.body).toMatch(/<h1 style="[^"]+">Grüße<\/h1>/)
  expect(parts[1]!.body).toContain('<strong>neu</strong>')
})

test('the HTML holds no scripts, unsafe links or images of the report', async () => {
  const receiver = await startMailReceiver()
  const text = [
    '<script>alert(1)</script> <img src=x onerror=alert(1)>',
    '[a](javascript:alert) [b](data:text/html,x) [c](file:///etc/passwd) [d](JaVaScRiPt&#58;alert)',
    '![pixel](https://tracker.example.org/p.png) [good](https://example.org/)',
  ].join('\n\n')
  await deliver(target(receiver.port), message({ text, subject: '</title><script>' }), tools())
  const html = parsePart(receiver.received[0]!.raw).parts[1]!.body
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).not.toMatch(/<script|<img/i)
  expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    'https://tracker.example.org/p.png',
    'https://example.org/',
  ])
})

test('a line break in a value starts no header', async () => {
  const receiver = await startMailReceiver()
  const evil = 'x\r\nBcc: thief@example.org\r\n\r\nbody\u2028y'
  const changes = { subject: '{{name}}: {{subject}}' }
  const outcome = await deliver(
    target(receiver.port, {}, changes),
    message({ subject: evil, id: 'a>\r\nBcc: b' }),
    tools(),
  )
  expect(outcome).toEqual({ ok: true })
  const { headers } = parsePart(receiver.received[0]!.raw)
  expect(headers.has('bcc')).toBe(false)
  expect(headers.get('subject')).toEqual(['weekly-digest: x Bcc: thief@example.org body y'])
  expect(headers.get('message-id')).toEqual(['<a---Bcc--b@example.net>'])
  for (const to of ['a@b.org\r\nBcc: c@d.org', 'a@b.org, c@d.org', 'Name <a@b.org', 'nobody']) {
    const fault = faultOf(
      await deliver(target(receiver.port, {}, { to: [to] }), message(), tools()),
    )
    expect(fault).toMatchObject({ is_final: true, error: { code: 'mail.address' } })
  }
  expect(receiver.received).toHaveLength(1)
})

test.each(['starttls', 'implicit'] as const)(
  '%s: protected before the login, trusted by ca_file alone',
  async (tls) => {
    const receiver = await startMailReceiver({ secure: tls === 'implicit', authOptional: false })
    const login = { tls, user: 'sluice', password_file: `${files}/right` }
    const untrusted = faultOf(await deliver(target(receiver.port, login), message(), tools()))
    expect(untrusted).toMatchObject({ is_final: false, error: { code: 'mail.tls' } })
    expect(receiver.logins).toEqual([])
    expect(
      await deliver(
        target(receiver.port, { ...login, ca_file: `${files}/ca` }),
        message(),
        tools(),
      ),
    ).toEqual({
      ok: true,
    })
    expect(receiver.received).toMatchObject([{ user: 'sluice', secure: true }])
  },
)

test('a server without STARTTLS gets neither the password nor the mail', async () => {
  const receiver = await startMailReceiver({
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
  })
  const smtp = { tls: 'starttls', user: 'sluice', password_file: `${files}/right` } as const
  expect(faultOf(await deliver(target(receiver.port, smtp), message(), tools()))).toMatchObject({
    is_final: false,
    error: { code: 'mail.tls' },
  })
  expect([receiver.logins, receiver.received]).toEqual([[], []])
})

test('without TLS mail goes to this machine only', async () => {
  const fault = faultOf(await deliver(target(25, { host: 'mail.example.org' }), message(), tools()))
  expect(fault).toMatchObject({ is_final: true, error: { code: 'mail.unprotected' } })
})

test('a refused login is tried again, since it can be corrected, and shows no password', async () => {
  const receiver = await startMailReceiver({ secure: true })
  const smtp = {
    tls: 'implicit',
    user: 'sluice',
    password_file: `${files}/wrong`,
    ca_file: `${files}/ca`,
  } as const
  const fault = faultOf(await deliver(target(receiver.port, smtp), message(), tools()))
  expect(fault).toMatchObject({ is_final: false, error: { code: 'mail.login' } })
  expect(fault.error.message).not.toContain('wrong-and-secret')
  expect(receiver.logins).toEqual(['wrong-and-secret'])
})

test('4xx is tried again, 5xx is final', async () => {
  const codes = [451, 0, 550]
  const receiver = await startMailReceiver({
    onMailFrom(_address, _session, done) {
      const responseCode = codes.shift()
      done(responseCode ? Object.assign(new Error('greylisted, or not'), { responseCode }) : null)
    },
  })
  const again = faultOf(await deliver(target(receiver.port), message(), tools()))
  expect(again).toMatchObject({ is_final: false, error: { code: 'mail.not_now' } })
  expect(again.error.message).toContain('greylisted')
  expect(await deliver(target(receiver.port), message(), tools())).toEqual({ ok: true })
  expect(faultOf(await deliver(target(receiver.port), message(), tools()))).toMatchObject({
    is_final: true,
  })
})

test.each([
  [550, true],
  [450, false],
])(
  'one of two addresses is refused with %i: the other gets the mail; final: %s',
  async (responseCode, is_final) => {
    const receiver = await startMailReceiver({
      onRcptTo({ address }, _session, done) {
        done(
          address.startsWith('boss') ? Object.assign(new Error('unknown'), { responseCode }) : null,
        )
      },
    })
    const fault = faultOf(await deliver(target(receiver.port), message(), tools()))
    expect(fault.is_final).toBe(is_final)
    expect(fault.error.message).toContain('boss@example.org')
    expect(receiver.received.map(({ to }) => to)).toEqual([['team@example.org']])
  },
)

test('no server, or a stop of the daemon: the mail is tried again', async () => {
  const receiver = await startMailReceiver({ onMailFrom: () => stop.abort() })
  const stop = new AbortController()
  const stopped = faultOf(
    await deliver(target(receiver.port), message(), tools({ signal: stop.signal })),
  )
  expect(stopped).toMatchObject({ is_final: false, error: { code: 'mail.stopped' } })
  const fault = faultOf(await deliver(target(1), message(), tools()))
  expect(fault).toMatchObject({ is_final: false, error: { code: 'mail.network' } })
  expect(fault.error.message).toMatch(/: no mail went through: nothing listens there;/)
})
