import { z } from 'zod'
import { choice, count, countValue, duration, size, sizeValue } from './fields.ts'
import { bandwidth } from './schema-bandwidth.ts'

const day_ms = 86_400_000
const most_bytes = Number.MAX_SAFE_INTEGER

/** `off` is a text in YAML 1.2, but people and older tools write it as the boolean too. */
const off = z.literal(['off', false], { error: 'must be off' }).transform(() => 'off' as const)

const brake = z
  .union(
    [
      off,
      z.strictObject(
        {
          files: countValue({ least: 1, most: 100_000_000 })
            .prefault(100_000)
            .meta({ description: 'New files in that time. Default 100000: a large archive still passes.' }),
          bytes: sizeValue({ least: 1, most: most_bytes })
            .prefault('100GB')
            .meta({ description: 'Their bytes. Default 100GB: about a day on a line of 10 Mbit/s.' }),
          per_hours: countValue({ least: 1, most: 168 }).prefault(24).meta({
            description: 'The time. Default 24: a day, the measure in which people think of this. Most 168, a week.',
          }),
        },
        { error: 'must be off, or some of files, bytes and per_hours' },
      ),
    ],
    { error: 'must be off, or some of files, bytes and per_hours' },
  )
  .prefault({})
  .meta({
    description:
      'When more than this many new files or bytes come in the time, over all folders, the rest waits until a person says ' +
      '`sluice accept PATH`: a disk mounted in the wrong place should not go up in one night. off: no brake.',
  })

const max_bytes_per_day = z
  .union([off, sizeValue({ least: 1, most: most_bytes })], { error: 'must be off, or a size such as 50GB' })
  .prefault('off')
  .meta({
    description:
      'Not more than this is sent in 24 hours; the rest goes later. Default off: only metered lines need it.',
  })

export const uploads_schema = z.strictObject({
  concurrency: count({
    usual: 16,
    least: 1,
    most: 64,
    about:
      'The most calls for uploads at once. How many there are is found out while sending: it begins with four, grows while more ' +
      'brings more through, and halves when the service says that it is too much (429, 503) or does not answer in time. Large ' +
      'files leave a place to the small ones. Default 16: on a distant line more is faster; a service nearby is full with less.',
  }),
  order: choice(
    ['newest', 'as_found'],
    'newest',
    'What goes first: newest, the files that were changed last, or as_found, those that were taken up first. Default newest: what ' +
      'people work on now is asked about first, and an archive of years follows. While more comes in than the line takes, the oldest wait: ' +
      'then as_found lets each have its turn.',
  ),
  bandwidth,
  brake,
  max_bytes_per_day,
  min_resend_s: duration('s', {
    usual: '10m',
    least: 0,
    most: 86_400,
    about:
      'A file that changes again and again goes up at most once in this time; the last version wins. Default 10m: a ' +
      'document saved each minute is sent six times an hour, not sixty.',
  }),
  max_attempts: count({
    usual: 12,
    least: 1,
    most: 1_000,
    about:
      'Failed attempts for one file before it is refused until you retry it, and never within ten minutes; a fault of the service does not ' +
      'count. Default 12: with the pauses below up to 18 minutes, longer than a passing fault.',
  }),
  small_file_bytes: size({
    usual: '1MiB',
    least: 0,
    most: 64 * 2 ** 20,
    about:
      'Files up to this are read once, into memory, and sent from there; larger ones are streamed. Default 1MiB: most documents, ' +
      'and reading them twice would cost more than the memory.',
  }),
  retry_first_ms: duration('ms', {
    usual: '1s',
    least: 10,
    most: 3_600_000,
    about:
      'The pause before the second attempt; it doubles each time, with jitter. Default 1s: a passing fault is over ' +
      'by then.',
  }),
  retry_most_ms: duration('ms', {
    usual: '5m',
    least: 10,
    most: day_ms,
    about: 'The longest pause between two attempts. Default 5m: soon enough after an outage, and no burden during one.',
  }),
  request_timeout_ms: duration('ms', {
    usual: '30s',
    least: 100,
    most: 3_600_000,
    about:
      'How long an answer of the service may take: so much until it begins, and so much for all of it, with a second more ' +
      'for each 16 KiB of it. Default 30s: the answers are small, a slower service is as good as down.',
  }),
  stall_timeout_ms: duration('ms', {
    usual: '1m',
    least: 100,
    most: 3_600_000,
    about:
      'An upload during which no byte moves for so long is given up and tried again. Default 1m: a change of ' +
      'network takes seconds; the whole may take as long as it needs.',
  }),
})

export const follow_schema = z.strictObject({
  first_ms: duration('ms', {
    usual: '300ms',
    least: 10,
    most: 3_600_000,
    about:
      'The first look whether a sent file is ready comes after so long; then later and later. Default 300ms: small ' +
      'texts are ready within a second.',
  }),
  most_ms: duration('ms', {
    usual: '30s',
    least: 10,
    most: day_ms,
    about: 'The longest pause between two looks at a file. Default 30s: two calls a minute for what takes long.',
  }),
  list_from: count({
    usual: 20,
    least: 1,
    most: 1_000_000,
    about:
      'From so many pending files on, pages of the list are read instead of single files. Default 20: a page tells ' +
      'the state of 100 files at the price of one call, but holds others, too.',
  }),
  dead_hit_after_ms: duration('ms', {
    usual: '15m',
    least: 1_000,
    most: 30 * day_ms,
    about:
      'When the service says that it has the content already, but that asset stays empty for so long, the file is ' +
      'sent as a new one. Default 15m: an upload that is still going on elsewhere should not be doubled.',
  }),
  pass_wait_ms: duration('ms', {
    usual: '5m',
    least: 1_000,
    most: day_ms,
    about:
      'When nothing has gone on for so long but the service reading what was sent, a single pass (`sluice sync`) ends; the next one, ' +
      'or a daemon, follows it on. Default 5m: most is read in seconds, and who started the pass waits for its end.',
  }),
})

export const hashing_schema = z.strictObject({
  threads: count({
    usual: 2,
    least: 1,
    most: 16,
    about:
      'Threads that read and hash large files. Default 2: one core reads 600 MB a second, more than most disks; the ' +
      'machine has other work.',
  }),
})

export const scan_schema = z.strictObject({
  answer_ms: duration('ms', {
    usual: '10s',
    least: 100,
    most: 600_000,
    about:
      'A folder whose root gives no answer for longer than this is offline: so is a share whose server is gone. Default 10s: a disk that ' +
      'has to spin up answers sooner.',
  }),
  empty_folder_files: count({
    usual: 10,
    least: 0,
    most: 1_000_000,
    about:
      'A folder that held more files than this and is suddenly empty counts as offline until a person accepts it; one that has another ' +
      'disk or directory in its place, without most of its files, does so however few they were. ' +
      'Default 10: an unmounted disk looks empty; a folder of a few files may well have been cleared.',
  }),
  missing_files: count({
    usual: 100,
    least: 0,
    most: 100_000_000,
    about:
      'A folder that is found smaller than at its last scan by more files than this, and by more than missing_percent of them, counts as offline until ' +
      'they are back or a person says `sluice accept FOLDER`. Default 100: people delete in tens.',
  }),
  missing_percent: count({
    usual: 50,
    least: 1,
    most: 100,
    about:
      'See missing_files. Default 50: a disk, a share or a snapshot that is not there takes nearly all with it; who clears away less ' +
      'than half is not asked. What is renamed counts as there.',
  }),
  max_hints: count({
    usual: 10_000,
    least: 10,
    most: 1_000_000,
    about:
      'More unseen events than this are replaced by one scan of the folder. Default 10000: the kernel keeps 16384, ' +
      'and so many are dearer than a scan.',
  }),
})

export const ledger_schema = z.strictObject({
  history_days: count({
    usual: 90,
    least: 1,
    most: 3_650,
    about:
      'How long the history of each file is kept for `explain`. Default 90: questions come within weeks. The state ' +
      'of the files is kept for ever.',
  }),
})

export const log_schema = z.strictObject({
  level: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
    'info',
    'The least important lines that are written. Default info: what a person who looks later wants to know. ' +
      'SLUICE_LOG_LEVEL overrides it.',
  ),
  format: choice(
    ['auto', 'json', 'pretty'],
    'auto',
    'pretty: readable; json: one object a line; auto (default): readable on a terminal, JSON elsewhere. ' +
      'SLUICE_LOG_FORMAT overrides it.',
  ),
  files_per_second: count({
    usual: 10,
    least: 0,
    most: 1_000,
    about:
      'While fewer files than this pass in a second each gets a line, above that a summary is written every ten ' +
      'seconds. Default 10: journald drops lines beyond 10000 in 30 s, and nobody reads so many.',
  }),
})
