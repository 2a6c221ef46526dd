import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { codeOf, isSluiceError, messageOf, SluiceError } from '../run/errors.ts'
import { printable } from '../text/format.ts'
import { second_ms } from '../time/time.ts'
import { isLoopbackHost } from './loopback.ts'
import { networkWords } from './network-fault.ts'

export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte, required STARTTLS, or none (loopback only). */
  tls: 'implicit' | 'starttls' | 'none'
  login?: { user: string; password: string } | undefined
  /** PEM certificates, trusted besides the usual ones; absent: none. */
  ca?: string | undefined
}

export interface Mail {
  /** `name@host` or `Name <name@host>`, as in `to`. */
  from: string
  to: readonly string[]
  subject: string
  text: string
  html: string
  /** Unique for ever and the same in every try: the Message-ID before the @. */
  id: string
  date_ms: number
}

/** Limit for a connection, a greeting and the next sign of life: servers may check mail. */
const patience_ms = 60 * second_ms

/**
 * The only SMTP client: hands over one mail. Errors: `mail.not_now`, `mail.network`, `mail.tls`,
 * `mail.stopped`, and the final ones of isFinalMailError. No error holds a password.
 */
export async function sendMail(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void> {
  refuseUnprotected(server)
  const data = dataOf(mail)
  const transport = createTransport(transportOptions(server, patience_ms))
  try {
    const { rejected, rejectedErrors } = await transport.sendMail({ ...data, signal })
    if (rejected.length > 0) throw refusedFor(server, rejected, rejectedErrors)
  } catch (error) {
    if (isSluiceError(error)) throw error
    throw signal.aborted
      ? smtpFault('stopped', server, 'ended from here before the mail was taken')
      : translate(server, error)
  } finally {
    transport.close()
  }
}

const final_codes = ['mail.refused', 'mail.login', 'mail.unprotected', 'mail.address']

export function isFinalMailError(code: string | undefined): boolean {
  return code !== undefined && final_codes.includes(code)
}

/** Connects, greets, starts TLS and logs in, but hands over no mail. Errors as from sendMail. */
export async function tryMailServer(server: MailServer, limit_ms: number): Promise<void> {
  refuseUnprotected(server)
  const transport = createTransport(transportOptions(server, limit_ms))
  try {
    await transport.verify()
  } catch (error) {
    throw translate(server, error)
  } finally {
    transport.close()
  }
}

function refuseUnprotected({ tls, host }: MailServer): void {
  if (tls !== 'none' || isLoopbackHost(host)) return
  const hint = 'use starttls or implicit; none is for a server on this machine'
  throw new SluiceError({
    code: 'mail.unprotected',
    message: `mail to ${host} would go without TLS`,
    hint,
  })
}

function transportOptions({ host, port, tls, login, ca }: MailServer, wait_ms: number) {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    connectionTimeout: wait_ms,
    greetingTimeout: wait_ms,
    dnsTimeout: wait_ms,
    socketTimeout: wait_ms,
    tls: {
      minVersion: 'TLSv1.2' as const,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    },
    // Logs in even if the server offers no login: without it, the mail may not arrive.
    ...(login ? { auth: { user: login.user, pass: login.password }, forceAuth: true } : {}),
  }
}

function dataOf({ from, to, subject, text, html, id, date_ms }: Mail) {
  const sender = addressOf(from)
  const host = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  return {
    from: sender,
    to: to.map(addressOf),
    // A subject is one line: a line break would begin another header.
    subject: subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim(),
    text,
    html,
    messageId: `<${id.replace(/[^A-Za-z0-9._-]/g, '-')}@${host}>`,
    date: new Date(date_ms),
    // No part of a mail may name a file or a URL to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const address_form =
  /^(?:([^<>"\p{Cc}]{0,200}?) *<)?([^\s<>()[\]\\,;:"@\p{Cc}]{1,64}@[^\s<>()[\]\\,;:"@\p{Cc}]{1,255})(>?)$/u

function addressOf(text: string): { name: string; address: string } {
  const [, name, address, end] = address_form.exec(text) ?? []
  if (address !== undefined && (name !== undefined) === (end === '>'))
    return { name: name ?? '', address }
  throw new SluiceError({
    code: 'mail.address',
    message: `${printable(text)} is no mail address`,
    hint: 'write name@example.org or Name <name@example.org>',
  })
}

interface Reply {
  responseCode?: number | undefined
  response?: string | undefined
  permanent?: boolean | undefined
}

/** A retry sends to all addresses: those that have the mail get the same Message-ID again. */
function refusedFor(
  server: MailServer,
  rejected: readonly string[],
  errors: readonly Reply[] = [],
): SluiceError {
  const is_final = errors.length > 0 && errors.every(({ permanent }) => permanent === true)
  const what = `the others have it, not ${rejected.map(printable).join(', ')}${replyOf(errors[0])}`
  return smtpFault(
    is_final ? 'refused' : 'not_now',
    server,
    what,
    is_final ? 'check the addresses' : undefined,
  )
}

function translate(server: MailServer, error: unknown): SluiceError {
  const code = codeOf(error)
  const reply: Reply = typeof error === 'object' && error !== null ? error : {}
  const fault = (reason: string, what: string, hint?: string) =>
    smtpFault(reason, server, what, hint)
  const words = printable(messageOf(error))
  // Before the replies: an attacker who removes STARTTLS must only delay a report, not end it.
  if (
    code === 'ETLS' ||
    (reply.responseCode === undefined && /certificate|tls|ssl/i.test(messageOf(error)))
  ) {
    return fault('tls', `no trusted connection: ${words}`, 'check tls, host, port and ca_file')
  }
  if (reply.permanent === true && code === 'EAUTH') {
    return fault('login', `the login was refused${replyOf(reply)}`, 'check user and password')
  }
  if (code === 'EAUTH' && reply.responseCode === undefined) {
    return fault('login', 'no way to log in was found', 'check the port, tls, user and password')
  }
  if (reply.permanent === true) {
    return fault(
      'refused',
      `the mail was refused${replyOf(reply)}`,
      'check the addresses and what the server takes',
    )
  }
  if (reply.responseCode !== undefined) return fault('not_now', `not taken now${replyOf(reply)}`)
  return fault('network', `no mail went through: ${networkWords(words)}`, 'check host and port')
}

function smtpFault(
  reason: string,
  { host, port }: MailServer,
  what: string,
  hint?: string,
): SluiceError {
  return new SluiceError({ code: `mail.${reason}`, message: `${host}:${port}: ${what}`, hint })
}

/** Servers explain at length; the first words are enough. */
function replyOf(reply: Reply | undefined): string {
  return reply?.response === undefined ? '' : ` (${printable(reply.response.slice(0, 200))})`
}
