import type { Argv } from 'yargs'
import { SluiceError } from '../../base/run/errors.ts'
import type { ServiceOptions } from '../../service/options.ts'

const text = { type: 'string', requiresArg: true } as const

/** Where the service listens, and under which names others know it. */
const address_options = {
  listen: { ...text, default: '127.0.0.1', describe: 'the address to listen on; one that is not loopback needs TLS' },
  'tls-cert': { ...text, describe: 'the certificate (PEM, with its chain) of both listeners' },
  'tls-key': { ...text, describe: 'the key of the certificate (PEM), readable by this user alone' },
  'public-url': { ...text, describe: 'the address of the API as others reach it, behind a reverse proxy or by a name' },
  'public-blob-url': { ...text, describe: 'the same of the blob store' },
  'allow-origin': { ...text, describe: 'origins whose web pages may ask, with commas; * for any' },
} as const

type Name = keyof typeof address_options
export type ServeAddress = { [Option in Exclude<Name, 'listen'>]: string | undefined } & { listen: string }

export function serveAddress<Before>(yargs: Argv<Before>) {
  return yargs.options(address_options)
}

/** Error `usage.invalid`: a certificate without a key, or a key without one. */
export function addressGiven(options: ServeAddress): Partial<ServiceOptions> {
  const { 'tls-cert': cert_file, 'tls-key': key_file } = options
  if ((cert_file === undefined) !== (key_file === undefined)) {
    throw new SluiceError({
      code: 'usage.invalid',
      message: `--${cert_file === undefined ? 'tls-cert' : 'tls-key'} is missing: a certificate and its key go together`,
      hint: 'sluice serve cert makes both',
    })
  }
  return {
    listen: options.listen,
    tls: cert_file === undefined || key_file === undefined ? undefined : { cert_file, key_file },
    public_url: options['public-url'],
    public_blob_url: options['public-blob-url'],
    allowed_origins: options['allow-origin']?.split(',').map((origin) => origin.trim()),
  }
}
