import type { Argv } from 'yargs'
import type { LimitOptions } from '../../service/api/limits.ts'
import type { ServiceOptions } from '../../service/options.ts'

const limit = { type: 'number', requiresArg: true } as const

/** The limits of the service as options of `serve`; their defaults and their reasons stand in the service. */
const limit_options = {
  'requests-per-minute': {
    ...limit,
    describe: 'requests of one token a minute, the rest is answered 429; 0: no limit',
  },
  'max-body': { ...limit, describe: 'bytes of a JSON body at most' },
  'max-upload': { ...limit, describe: 'bytes of an uploaded file at most' },
  'max-prompt': { ...limit, describe: 'characters of a prompt at most' },
  'max-filename': { ...limit, describe: 'characters of a filename at most' },
  'max-name': { ...limit, describe: 'characters of every other name and title at most' },
  'stop-grace': { ...limit, describe: 'milliseconds that requests in flight have to finish when it is stopped' },
  silence: { ...limit, describe: 'milliseconds without a byte after which a connection is cut' },
} as const

export type ServeLimits = Record<keyof typeof limit_options, number | undefined>

export function serveLimits<Before>(yargs: Argv<Before>) {
  return yargs.options(limit_options)
}

/** What was not given is left to the service. */
export function limitsGiven(options: ServeLimits): Partial<ServiceOptions> {
  const limits: Record<keyof LimitOptions, number | undefined> = {
    body_bytes: options['max-body'],
    prompt_length: options['max-prompt'],
    filename_length: options['max-filename'],
    name_length: options['max-name'],
    requests_per_minute: options['requests-per-minute'],
  }
  const others = {
    max_upload_bytes: options['max-upload'],
    close_grace_ms: options['stop-grace'],
    silence_ms: options.silence,
  }
  return { limits: given(limits), ...given(others) }
}

function given<Name extends string>(options: Record<Name, number | undefined>): Partial<Record<Name, number>> {
  const named = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named) as Partial<Record<Name, number>>
}
