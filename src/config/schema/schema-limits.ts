import { z } from 'zod'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { choice, count, countValue, duration, off, sizeValue } from './fields.ts'
import { bandwidth } from './schema-bandwidth.ts'

const max_bytes = Number.MAX_SAFE_INTEGER

const upload_limit = z
  .union(
    [
      off,
      z.strictObject({
        files: countValue({ min: 1, max: 100_000_000 })
          .prefault(100_000)
          .describe('New files in that time. Default 100000: a large archive still passes.'),
        bytes: sizeValue({ min: 1, max: max_bytes })
          .prefault('100GB')
          .describe('Total size of the new files in 24 hours. Default 100GB: about a day on a line of 10 Mbit/s.'),
      }),
    ],
    'must be off, or files, bytes or both',
  )
  .prefault({})
  .describe(
    'When more than this many new files or bytes come in 24 hours, over all folders, the rest waits until a user runs ' +
      '`sluice accept PATH`: a disk mounted in the wrong place should not be uploaded in one night. off: no upload limit.',
  )

const max_bytes_per_day = z
  .union([off, sizeValue({ min: 1, max: max_bytes })], 'must be off, or a size such as 50GB')
  .prefault('off')
  .describe('Not more than this is uploaded in 24 hours; the rest goes later. Default off: only metered lines need it.')

export const uploads_schema = z.strictObject({
  concurrency: count({ usual: 16, min: 1, max: 64 }).describe(
    'The most calls for uploads at once. How many there are is found out while sending: it begins with four, grows while more ' +
      'brings more through, and halves when the service says that it is too much (429, 503) or does not answer in time. Large ' +
      'files leave a place to the small ones. Default 16: on a distant line more is faster; a service nearby is full with less.',
  ),
  order: choice(['newest', 'as_found'], 'newest').describe(
    'What goes first: newest, the files that were changed last, or as_found, those that were taken up first. Default newest: what ' +
      'people work on now is asked about first, and an archive of years follows. While more comes in than the line takes, the oldest wait: ' +
      'then as_found lets each have its turn.',
  ),
  bandwidth,
  limit: upload_limit,
  max_bytes_per_day,
  min_resend_s: duration('s', { usual: '10m', min: 0, max: 86_400 }).describe(
    'A file that changes again and again is uploaded at most once in this time; the last version wins. Default 10m: a ' +
      'document saved each minute is uploaded six times an hour, not sixty.',
  ),
})

export const ledger_schema = z.strictObject({
  history_days: count({ usual: 90, min: 1, max: 3_650 }).describe(
    'How long the history of each file is kept for `explain`. Default 90: questions come within weeks. The state ' +
      'of the files is kept for ever.',
  ),
})

export const log_schema = z.strictObject({
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], 'info').describe(
    'Lowest level that is written. Default info: what explains later what happened. ' +
      'SLUICE_LOG_LEVEL overrides it.',
  ),
  format: choice(['auto', 'json', 'pretty'], 'auto').describe(
    'pretty: readable; json: one object a line; auto (default): readable on a terminal, JSON elsewhere. ' +
      'SLUICE_LOG_FORMAT overrides it.',
  ),
})

/** Settings of each folder about assets that its files no longer need. */
export const removal_policy = {
  on_delete: choice(['keep', 'remove'], 'keep').describe(
    'What becomes of the asset of a file that is deleted here. keep (default): it stays in the project and goes on answering: nothing ' +
      'there is lost because something was lost here. remove: it is removed there after delete_grace_ms, once every folder of the ' +
      'project was scanned after that and no file in any of them has these bytes.',
  ),
  delete_grace_ms: duration('ms', { usual: '7d', min: second_ms, max: 60 * day_ms }).describe(
    'With on_delete: remove, how long a file must be gone before its asset is. Default 7d: a file that was deleted by ' +
      'mistake, or a share half copied over a weekend, can be put back in time. At most 60 days: what is gone is forgotten ' +
      'after 90.',
  ),
  on_change: choice(['keep', 'remove_old'], 'keep').describe(
    'What becomes of the old version of a file that changes. keep (default): both answer, and status counts the old ones. ' +
      'remove_old: it is removed there once the new version is ready, every other folder of the project was scanned since, ' +
      'and no file has the old bytes.',
  ),
}

export const removal_schema = z.strictObject({
  max_files: count({ usual: 100, min: 0, max: 1_000_000 }).describe(
    'Of one folder, more than this (and more than max_percent of it) is not removed on the service by itself: it waits for ' +
      '`sluice accept --removals FOLDER`. Default 100: people tidy up in tens; hundreds at once are a script, a wrong mount or an ' +
      'intruder. 0: the share alone counts. Whatever it says, more than half of a folder, and more than 10 ' +
      'files of it, deleted within a day wait, too: that is a wiped folder, or a disk that went away.',
  ),
  max_percent: count({ usual: 10, min: 0, max: 100 }).describe(
    'The same as a share of the files that the folder has and had. Default 10: in a large folder a hundred files are nothing ' +
      'unusual. With max_files 0 and max_percent 0 everything waits for a user.',
  ),
})
