import { optional, z } from 'zod'
import { hostAndPort, isLocalListen, isRange } from '../listen.ts'
import { count, list, matching, off, refusing } from './fields.ts'
import { baseUrlFault } from './schema-deliver.ts'
import { local_path } from './schema-folder.ts'

const wrong_listen =
  'must be off, an address with a port such as 127.0.0.1:8470 or [::]:8470, or a socket such as unix:/run/sluice/page.sock'

const listen = z
  .union(
    [
      off,
      z
        .string()
        .refine((text) => /^unix:\/./.test(text) || hostAndPort(text) !== undefined, wrong_listen),
    ],
    wrong_listen,
  )
  .prefault('off')
  .describe(
    'The address and port on which a browser reads the page, such as 127.0.0.1:8470, or unix: and the path of a ' +
      'socket for a proxy on this machine. An address that other machines reach needs tls_cert or a proxy. Default ' +
      'off: nothing listens before somebody wants it.',
  )

const header_name = matching(
  /^[A-Za-z0-9-]{1,64}$/,
  'must be the name of a header, such as Remote-User',
)

const proxy_schema = z.strictObject({
  from: list(
    z.string().refine(isRange, 'must be an IP address, or a range such as 10.0.0.0/8'),
    100,
  ).describe(
    'Addresses from which the headers below are believed, such as 127.0.0.1 or 10.0.0.0/8. Anybody who can send ' +
      'from one of them can be any user. Whoever uses the socket of listen counts as listed. Empty by default.',
  ),
  user_header: optional(header_name).describe(
    'The header in which the proxy names the user who is signed in, such as Remote-User. It must overwrite this ' +
      'header. Without it, a proxy only passes on requests. Default none.',
  ),
  groups_header: optional(header_name).describe(
    'The header in which the proxy names the groups of the user, with commas between, such as Remote-Groups. A ' +
      'group is allowed in by `sluice page user add group:NAME`. Default none.',
  ),
})

export const page_schema = z
  .strictObject({
    listen,
    base_url: optional(z.string('must be a text').check(refusing(baseUrlFault))).describe(
      'The address of the page as browsers write it, such as https://sluice.example.com or ' +
        'https://example.com/sluice behind a proxy. Links in mail and chat lead there. Without it they are left ' +
        'out, and the page expects requests to listen itself.',
    ),
    tls_cert: optional(local_path).describe(
      'The certificate chain (PEM) for TLS. Default none: plain HTTP.',
    ),
    tls_key: optional(local_path).describe(
      'The private key (PEM) of tls_cert. Only its owner may read it.',
    ),
    proxy: proxy_schema.prefault({}).describe('A proxy in front that knows the users.'),
    readers_ask: count({ usual: 20, min: 0, max: 1_000 }).describe(
      'How many questions one reader may ask in an hour; 0: none. Default 20: enough for a talk, and a mistake ' +
        'in a script costs little. Operators have no limit.',
    ),
  })
  .check(({ value, issues }) => {
    const say = (path: string, message: string) =>
      issues.push({ code: 'custom', message, path: [path], input: value })
    if ((value.tls_cert === undefined) !== (value.tls_key === undefined))
      say('tls_cert', 'set both tls_cert and tls_key, or neither')
    const is_open = value.listen !== 'off' && !isLocalListen(value.listen)
    if (is_open && value.tls_cert === undefined && value.proxy.from.length === 0)
      say(
        'listen',
        'is reached by other machines, so it needs tls_cert and tls_key, or a proxy with TLS in proxy.from',
      )
  })
