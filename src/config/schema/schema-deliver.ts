import { optional, z } from 'zod'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { didYouMean } from '../../base/text/did-you-mean.ts'
import { templateNames } from '../../base/text/template.ts'
import { countValue, refusing, span } from './fields.ts'
import { local_path, name_field } from './schema-folder.ts'

/** An https address, or http to this machine. */
export const outgoing_url = optional(lineOf(2_000).check(refusing(outgoingFault)))

const webhook_url = outgoing_url.describe(
  'The address that Sluice posts to: https, or http to this machine. Addresses of chat services are secrets, ' +
    'because anyone who has one can post there. `sluice config` masks it. With url_file it is not in this file.',
)

function outgoingFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://hooks.example.com/reports'
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password) return 'must not hold a user name or password'
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return undefined
  return 'must begin with https:// (http:// is for this machine only)'
}

/** The fault of an address such as `localhost:8080`, whose first part `URL` takes for a scheme. */
function schemeFault(text: string): string | undefined {
  if (text.includes('://') || !URL.canParse(`http://${text}`)) return undefined
  const { hostname, username, password } = new URL(`http://${text}`)
  // The text would be repeated, with its password. A bare word is no address.
  if (username || password || (hostname === text && text !== 'localhost' && !text.includes('.')))
    return undefined
  const scheme = isLoopbackHost(hostname) ? 'http' : 'https'
  return `must begin with ${scheme}://: write ${scheme}://${text}`
}

/** Returns the fault of a base address, if any. */
export function baseUrlFault(text: string): string | undefined {
  const lacking = schemeFault(text)
  if (lacking !== undefined) return lacking
  if (!URL.canParse(text))
    return 'must be an address that begins with https://, such as https://assistant.example.com'
  const { protocol, username, password, search, hash } = new URL(text)
  if (username || password) return 'must not hold a user name or password'
  if (search || hash) return 'must not hold a query (?) or a fragment (#)'
  return protocol === 'https:' || protocol === 'http:'
    ? outgoingFault(text)
    : 'must begin with https://'
}

/**
 * Names that templates may use: values of a report (prompts/report/report) and of every message
 * (deliver/message).
 *
 * @internal
 */
export const message_values = [
  'name',
  'date',
  'due',
  'report',
  'manifest',
  'count',
  'id',
  'subject',
  'text',
  'at',
]

/**
 * Every value fits between quotes, so each must be there. Without quotes, none is sure to fit:
 * `count` may contain commas.
 */
function isJsonOnceFilled(text: string): boolean {
  try {
    JSON.parse(text.replace(/\{\{[^{}\n]*\}\}/g, 'x'))
    return true
  } catch {
    return false
  }
}

export const url_file = optional(local_path).describe(
  'The file that contains the address and nothing else. Only its owner may read it. Use either this or url.',
)

type Urls = { [Name in 'url' | 'url_file']?: string | undefined }

export function hasOneUrl({ value, issues }: z.core.ParsePayload<Urls>): void {
  if ((value.url === undefined) !== (value.url_file === undefined)) return
  issues.push({ code: 'custom', message: 'must have either url or url_file', input: value })
}

const wrong_body =
  'must be json, slack, teams, or a template, such as { template: "{\\"text\\": \\"{{text}}\\"}" }'

const webhook_schema = z
  .strictObject({
    url: webhook_url,
    url_file,
    secret_file: optional(local_path).describe(
      'The file with the secret that signs the message, so that the receiver can check its origin (HMAC-SHA256). ' +
        'Default none: chat services need no signature.',
    ),
    body: z
      .union(
        [
          z.enum(['json', 'slack', 'teams']),
          z.strictObject({
            template: template(20_000, message_values).refine(
              isJsonOnceFilled,
              'must be JSON once its values are filled in: put each {{…}} between double quotes',
            ),
          }),
        ],
        wrong_body,
      )
      .prefault('json')
      .describe(
        'What Sluice posts: json (the report and its data), slack or teams (their formats), or { template: … }, ' +
          'whose values are escaped as JSON. Default json: it has all data for your own program.',
      ),
  })
  .check(hasOneUrl)

const wrong_address = 'must be an address such as ada@example.org or "Ada <ada@example.org>"'
const plain_address = String.raw`[^\s@<>()",;:]+@[^\s@<>()",;:]+`
const address = z
  .string(wrong_address)
  .max(320, wrong_address)
  .regex(new RegExp(`^(${plain_address}|[^<>\\x00-\\x1f]+ <${plain_address}>)$`), wrong_address)

export const smtp_schema = z
  .strictObject({
    host: lineOf(253).describe('The mail server.'),
    port: optional(countValue({ min: 1, max: 65_535 })).describe(
      'Its port. Default: the usual one, 465 with tls implicit, 587 with starttls, 25 with none.',
    ),
    tls: optional(
      z.enum(['implicit', 'starttls', 'none'], 'must be one of implicit, starttls, none'),
    ).describe(
      'implicit: TLS from the first byte. starttls: TLS before the login and the mail. none: without protection, ' +
        'to this machine only. Default: starttls for port 587, else implicit, as RFC 8314 advises.',
    ),
    user: optional(lineOf(320)).describe(
      'The login name. Default: no login, which some servers allow to machines of their network.',
    ),
    password_file: optional(local_path).describe(
      'The file that contains the password and nothing else. Only its owner may read it (chmod 600). Needed with ' +
        'user.',
    ),
    ca_file: optional(local_path).describe(
      'Certificates (PEM) of authorities that Sluice trusts for this server besides those of Node. Default none.',
    ),
  })
  .check(({ value, issues }) => {
    const say = (key: string, message: string) =>
      issues.push({ code: 'custom', path: [key], message, input: value })
    if (value.tls === 'none' && !isLoopbackHost(value.host === '::1' ? '[::1]' : value.host)) {
      say('tls', 'must be implicit or starttls (none is for this machine only)')
    }
    if (value.user !== undefined && value.password_file === undefined)
      say('user', 'needs a password_file beside it')
    if (value.user === undefined && value.password_file !== undefined)
      say('password_file', 'needs a user beside it')
  })

const email_schema = z.strictObject({
  to: z
    .array(address, 'must be a list of addresses')
    .min(1, 'must name at least one address')
    .max(50, 'must not have more than 50 addresses: a mailing list serves more')
    .describe('The receivers, 1 to 50 addresses.'),
  from: address.describe('The sender, an address that the server lets this user send from.'),
  subject: lineOf(200)
    .check(knownNames(message_values))
    .optional()
    .describe('The subject, a template. Default: that of the report.'),
  smtp: optional(smtp_schema).describe('The server. Default: the one of the section smtp.'),
})

const command_schema = z.strictObject({
  run: z
    .array(
      z
        .string('must be a text')
        .max(10_000, 'must not be longer than 10000 characters')
        .check(knownNames(message_values)),
      'must be a list: the program and its arguments',
    )
    .min(1, 'must name a program')
    .max(100, 'must not have more than 100 entries')
    .check(({ value, issues }) => {
      if (value[0]?.startsWith('/') || value.length === 0) return
      const message = 'must be an absolute path: what is found by name may change'
      issues.push({ code: 'custom', path: [0], message, input: value })
    })
    .describe(
      'The program (an absolute path) and its arguments, without a shell. Each is a template: {{report}} is the path of ' +
        'the report.',
    ),
  timeout: span({ usual: '1m', min: '1s', max: '1h' }).describe(
    'Sluice stops a command that runs longer, and tries again later. Default 1m: it only has to hand on a file.',
  ),
})

const file_name_variables = ['name', 'date', 'due']

export const usual_file_name = '{{name}}-{{date}}.md'

const file_schema = z.strictObject({
  dir: local_path.describe(
    'The directory. Sluice makes it if it is missing. It must not be inside a watched folder, unless that folder ' +
      'excludes it: reports would be uploaded as input.',
  ),
  name: template(200, file_name_variables)
    .refine((name) => !/[/\\\0]/.test(name), 'must not hold a slash: dir names the directory')
    .refine(
      (name) => !/^\.|\.json$/i.test(name),
      'must not begin with a dot, nor end in .json: the manifest beside the report is called so',
    )
    .prefault(usual_file_name)
    .describe(
      'The name of the file: {{name}} of the prompt, {{date}} and {{due}} of the run. If a file has this name ' +
        'already, a number is added. Default {{name}}-{{date}}.md: such files sort by prompt and day.',
    ),
})

export const delivery_kinds = ['file', 'webhook', 'email', 'command'] as const

const delivery_schema = z
  .strictObject({
    name: optional(name_field).describe(
      'The name of the delivery, unique in its prompt. Do not change it later: a new name makes a new delivery. ' +
        'Default: a name made from its receiver, such as webhook-1f0c9a3e, so another receiver is another delivery.',
    ),
    file: optional(file_schema).describe(
      'A file with the report, and its manifest beside it. Without any file delivery, the report is in reports/ ' +
        'in the state directory.',
    ),
    webhook: optional(webhook_schema).describe('A POST request to an address.'),
    email: optional(email_schema).describe('A mail, as text and HTML.'),
    command: optional(command_schema).describe('A program that Sluice runs.'),
  })
  .check(({ value, issues }) => {
    const count = delivery_kinds.filter((kind) => value[kind] !== undefined).length
    // A mistyped kind already has a fault of its own.
    if (count === 1 || issues.length > 0) return
    issues.push({
      code: 'custom',
      message: `must be one of ${delivery_kinds.join(', ')}`,
      input: value,
    })
  })

export function deliveries(description: string) {
  return z
    .array(delivery_schema, 'must be a list of deliveries, each after "- "')
    .max(20, 'must not have more than 20 deliveries')
    .prefault([])
    .describe(description)
}

export const deliver = deliveries(
  'Receivers of the report. Sluice retries each delivery by itself. Empty by default: the report is in reports/ ' +
    'in the state directory.',
)

export type CheckedDelivery = z.output<typeof delivery_schema>
export type CheckedSmtp = z.output<typeof smtp_schema>

/** A text on one line, since header fields and log lines contain it. */
export function lineOf(max_chars: number) {
  const wrong = `must be a text of 1 to ${max_chars} characters in one line`
  return (
    z
      .string(wrong)
      .min(1, wrong)
      .max(max_chars, wrong)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
      .regex(/^[^\x00-\x1f\x7f]*$/, wrong)
  )
}

/** A text that may contain `{{name}}` for the known names. */
export function template(max_chars: number, known: readonly string[]) {
  const wrong = `must be a text of 1 to ${max_chars} characters`
  return z.string(wrong).min(1, wrong).max(max_chars, wrong).check(knownNames(known))
}

/** A check that templates use known names only. */
function knownNames(known: readonly string[]) {
  return ({ value, issues }: z.core.ParsePayload<string>) => {
    for (const name of templateNames(value)) {
      if (!known.includes(name))
        issues.push({ code: 'custom', message: unknownName(name, known), input: value })
    }
  }
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known)
  if (meant !== undefined) return `there is no {{${name}}}; did you mean {{${meant}}}?`
  return `there is no {{${name}}}; there are ${known.map((other) => `{{${other}}}`).join(', ')}`
}
