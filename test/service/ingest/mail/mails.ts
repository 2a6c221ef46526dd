import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'

const limits = { unpacked_bytes: 20_000_000, text_length: 10_000_000 }

/** What the service makes of a file. */
export function read(bytes: Buffer | string, filename = 'a.eml', mime_type = '') {
  return extractDocument(
    { bytes: Buffer.from(bytes as string, 'utf8'), filename, mime_type },
    limits,
  )
}

export const head = [
  'From: =?UTF-8?Q?J=C3=BCrgen_Holm?= <holm@harbour.example>',
  'To: Yrsa <yrsa@harbour.example>',
  'Date: Mon, 5 Jan 2026 10:00:00 +0100',
  'Subject: =?ISO-8859-1?B?TGllZmVyc2NoZWluIGb8ciBLYWkgMw==?=',
  'MIME-Version: 1.0',
]

/** A part of a mail: its headers and its body, parted by an empty line. */
export function part(headers: readonly string[], body: string): string {
  return `${headers.join('\r\n')}\r\n\r\n${body}`
}

export function multipart(
  kind: string,
  parts: readonly string[],
  { headers = [] as readonly string[], boundary = `b-${kind}` } = {},
): string {
  const inner = parts.map((one) => `--${boundary}\r\n${one}\r\n`).join('')
  const type = `Content-Type: multipart/${kind}; boundary="${boundary}"`
  return `${part([...headers, type], `${inner}--${boundary}--`)}\r\n`
}

/** A mail with these parts. */
export function mailOf(kind: string, parts: readonly string[]): string {
  return multipart(kind, parts, { headers: head })
}

export function textPart(body: string, type = 'text/plain; charset=utf-8'): string {
  return part([`Content-Type: ${type}`], body)
}

export function filePart(
  name: string,
  content: Buffer | string,
  type = 'application/octet-stream',
) {
  const headers = [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; ${name}`,
    'Content-Transfer-Encoding: base64',
  ]
  return part(
    headers,
    Buffer.from(content as string)
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
  )
}
