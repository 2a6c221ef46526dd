import type { Argv } from 'yargs'
import type { IngestOptions } from '../../service/options.ts'

const limit = { type: 'number', requiresArg: true } as const

/** How files are read, as options of `serve`; the defaults of the limits and their reasons stand in the service. */
const ingest_options = {
  'ingest-delay': { ...limit, default: 0, describe: 'milliseconds that a file takes to become ready, at least' },
  'ingest-max-bytes': { ...limit, describe: 'bytes of a file that is read, at most' },
  'ingest-time': { ...limit, describe: 'milliseconds that reading a document may take' },
  'ingest-memory': { ...limit, describe: 'bytes of memory that reading a document may take' },
  'ingest-processes': { ...limit, describe: 'processes that read documents' },
} as const

export interface ServeIngest extends Record<Exclude<keyof typeof ingest_options, 'ingest-delay'>, number | undefined> {
  'ingest-delay': number
}

export function serveIngest<Before>(yargs: Argv<Before>) {
  return yargs.options(ingest_options)
}

/** What was not given is left to the service. */
export function ingestGiven(options: ServeIngest): IngestOptions {
  const limits: Partial<Record<keyof IngestOptions, number | undefined>> = {
    delay_ms: options['ingest-delay'],
    max_bytes: options['ingest-max-bytes'],
    time_ms: options['ingest-time'],
    memory_bytes: options['ingest-memory'],
    processes: options['ingest-processes'],
  }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
