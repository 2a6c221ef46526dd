import type { Argv, InferredOptionTypes } from 'yargs'
import { SluiceError } from '../../base/run/errors.ts'
import { readEnvironment } from '../../config/environment.ts'
import { routes } from '../../contract/routes/routes.ts'
import type { Failure } from '../../service/fault-injection.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { number, text } from '../command.ts'
import { type DataDirOptions, wordsIfGiven } from './serve-verb.ts'

/** Limits without a default here have theirs, with the reason, in the service. */
const options = {
  'ingest-delay': { ...number('minimum milliseconds until a file is ready'), default: 0 },
  'ingest-max-bytes': number('maximum bytes of a file that is read'),
  'ingest-time': number('maximum milliseconds for reading a document'),
  'ingest-memory': number('maximum bytes of memory for reading a document'),
  'ingest-processes': number('number of processes that read documents'),
  'ingest-recognition': text(
    'languages of scans and pictures, such as deu+eng; off: they are not read; default: all that tesseract has',
  ),
  'requests-per-minute': number(
    'maximum requests of a token per minute, more are answered with 429; 0: no limit',
  ),
  'max-body': number('maximum bytes of a JSON body'),
  'max-upload': number('maximum bytes of an uploaded file'),
  'max-prompt': number('maximum characters of a prompt'),
  'max-filename': number('maximum characters of a filename'),
  'max-name': number('maximum characters of every other name and title'),
  'stop-grace': number('milliseconds that running requests have to end when the service stops'),
  silence: number('milliseconds without a byte after which a connection is closed'),
  listen: {
    ...text('the address to listen on; one that is not loopback needs TLS'),
    default: '127.0.0.1',
  },
  'tls-cert': text('the certificate (PEM, with its chain) of both listeners'),
  'tls-key': text('the key of the certificate (PEM), readable by this user alone'),
  'public-url': text('the address of the API for other machines, such as that of a reverse proxy'),
  'public-blob-url': text('the address of the blob store for other machines'),
  'allow-origin': text('origins whose web pages may call the API, with commas; * for any'),
  port: { ...number('port of the API; 0: a free one'), default: 0 },
  'blob-port': { ...number('port of the blob store; 0: a free one'), default: 0 },
  profile: {
    choices: ['default', 'hosted'],
    default: 'default',
    describe: 'default: as in the specification; hosted: with the deviations of the hosted service',
  },
  'answer-delay': { ...number('minimum milliseconds until an answer is ready'), default: 0 },
  'assistant-config': text(
    'a JSON file that says which model answers (docs/service.md); without it, answers quote passages',
  ),
  latency: { ...number('milliseconds that every request waits before any work'), default: 0 },
  fail: {
    ...text(
      'PLACE=STATUS|drop[:every=N][:times=N][:retry=SECONDS], several with commas (docs/service.md)',
    ),
    default: '',
  },
} as const

type ServeOptions = DataDirOptions & InferredOptionTypes<typeof options>

export function serveOptions(yargs: Argv<DataDirOptions>): Argv<ServeOptions> {
  // A subcommand such as `serve token` has none of them.
  const own = Object.entries(options).map(([name, option]) => [name, { ...option, global: false }])
  return yargs.options(Object.fromEntries(own) as typeof options)
}

/**
 * Error `usage.invalid`: a certificate without its key, a key without its certificate, or a wrong
 * `--fail`.
 */
export function serviceOptions(given: ServeOptions): ServiceOptions {
  return {
    data_dir: given['data-dir'],
    listen: given.listen,
    tls: tlsFiles(given),
    public_url: given['public-url'],
    public_blob_url: given['public-blob-url'],
    allowed_origins: wordsIfGiven(given['allow-origin']),
    port: given.port,
    blob_port: given['blob-port'],
    profile: given.profile,
    ingest: {
      delay_ms: given['ingest-delay'],
      max_bytes: given['ingest-max-bytes'],
      time_ms: given['ingest-time'],
      memory_bytes: given['ingest-memory'],
      processes: given['ingest-processes'],
      recognition: given['ingest-recognition'],
      program_path: readEnvironment().for_commands.PATH,
    },
    limits: {
      body_bytes: given['max-body'],
      prompt_length: given['max-prompt'],
      filename_length: given['max-filename'],
      name_length: given['max-name'],
      requests_per_minute: given['requests-per-minute'],
    },
    answer_delay_ms: given['answer-delay'],
    assistant_config: given['assistant-config'],
    proxy: readEnvironment().proxy,
    max_upload_bytes: given['max-upload'],
    close_grace_ms: given['stop-grace'],
    silence_ms: given.silence,
    injected_faults: { latency_ms: given.latency, failures: parseFailures(given.fail) },
  }
}

function tlsFiles({
  'tls-cert': cert_file,
  'tls-key': key_file,
}: ServeOptions): ServiceOptions['tls'] {
  if (cert_file !== undefined && key_file !== undefined) return { cert_file, key_file }
  if (cert_file === key_file) return undefined
  throw new SluiceError({
    code: 'usage.invalid',
    message: `--${cert_file === undefined ? 'tls-cert' : 'tls-key'} is missing: a certificate and its key go together`,
    hint: 'sluice serve cert makes both',
  })
}

const example = '--fail put=503:every=10,assets.create=429:times=3:retry=2,all=drop:every=50'

/**
 * Reads a list of failures with commas between. Each is `PLACE=WHAT`, then optional parts after
 * colons, as in `example`: `every=N`, `times=N`, `retry=SECONDS`. Error `usage.invalid`.
 */
function parseFailures(text: string): Failure[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseFailure)
}

function parseFailure(part: string): Failure {
  const [head = '', ...rules] = part.split(':')
  const [place = '', what = ''] = head.split('=')
  return {
    ...placeOf(place, part),
    ...whatOf(what, part),
    ...Object.assign({}, ...rules.map((rule) => ruleOf(rule, part))),
  }
}

function placeOf(place: string, part: string): Pick<Failure, 'route'> {
  if (place === 'all') return {}
  if (place === 'put') return { route: 'put' }
  const route = routes.find(({ id }) => id === place)
  if (route) return { route: route.id }
  throw wrong(
    part,
    `the call ${place} does not exist; the calls are all, put, ${routes.map(({ id }) => id).join(', ')}`,
  )
}

function whatOf(what: string, part: string): Pick<Failure, 'status' | 'drop_connection'> {
  if (what === 'drop') return { status: 0, drop_connection: true }
  if (/^[45]\d\d$/.test(what)) return { status: Number(what) }
  throw wrong(part, `after = comes a status from 400 to 599, or drop`)
}

function ruleOf(rule: string, part: string): Partial<Failure> {
  const [name = '', value = ''] = rule.split('=')
  if (!/^[1-9]\d{0,8}$/.test(value)) throw wrong(part, `${name} must be a whole number, 1 or more`)
  if (name === 'every') return { every: Number(value) }
  if (name === 'times') return { times: Number(value) }
  if (name === 'retry') return { retry_after_s: Number(value) }
  throw wrong(part, `a rule is every, times or retry, not ${name}`)
}

function wrong(part: string, why: string): SluiceError {
  return new SluiceError({
    code: 'usage.invalid',
    message: `--fail ${part}: ${why}`,
    hint: `for example ${example}`,
  })
}
