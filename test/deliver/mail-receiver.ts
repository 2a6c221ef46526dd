import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { listen } from '../remote/recording-server.ts'
import { test_certificate, test_key } from '../remote/test-certificate.ts'

interface Received {
  from: string
  to: string[]
  user: unknown
  secure: boolean
  raw: string
}

export interface MailReceiver {
  port: number
  received: Received[]
  logins: (string | null | undefined)[]
}

/** A real SMTP server on a free loopback port, closed after the test. */
export async function startMailReceiver(options: SMTPServerOptions = {}): Promise<MailReceiver> {
  const received: Received[] = []
  const logins: MailReceiver['logins'] = []
  const server = new SMTPServer({
    key: test_key,
    cert: test_certificate,
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 10,
    onAuth({ username, password }, _session, done) {
      logins.push(password)
      if (password === 'right') done(null, { user: username })
      else done(Object.assign(new Error('no such login'), { responseCode: 535 }))
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const to = rcptTo.map(({ address }) => address)
        const raw = Buffer.concat(pieces).toString('latin1')
        received.push({ from, to, user: session.user, secure: session.secure, raw })
        done()
      })
    },
    ...options,
  })
  // A client that does not trust the certificate disconnects during the TLS handshake.
  server.on('error', () => {})
  const { port } = await listen(server.server)
  return { port, received, logins }
}

export interface Part {
  headers: Map<string, string[]>
  body: string
}

/**
 * Enough of RFC 5322, 2045 and 2046 to show what a mail reader shows. It shares no code with the
 * sender.
 */
export function parsePart(raw: string): Part & { parts: Part[] } {
  const end = raw.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')) {
    const [name = '', ...value] = line.split(':')
    headers.set(name.toLowerCase(), [
      ...(headers.get(name.toLowerCase()) ?? []),
      value.join(':').trim(),
    ])
  }
  const content = raw.slice(end + 4)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')?.[0] ?? '')?.[1]
  const inner = boundary === undefined ? [] : content.split(`--${boundary}`).slice(1, -1)
  const parts = inner.map((part) => parsePart(part.replace(/^\r\n/, '')))
  return { headers, body: decode(content, headers.get('content-transfer-encoding')?.[0]), parts }
}

function decode(content: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return content
  const joined = content.replace(/=\r\n/g, '')
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
