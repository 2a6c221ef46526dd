import { z } from 'zod'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { choice, count, countValue, duration, off, sizeValue } from './fields.ts'
import { bandwidth } from './schema-bandwidth.ts'

/** Below the largest exact number of JavaScript. */
export const max_bytes = 9e15

const upload_limit = z
  .union(
    [
      off,
      z.strictObject({
        files: countValue({ min: 1, max: 100_000_000 })
          .prefault(100_000)
          .describe('New files in 24 hours. Default 100000: that is enough for a large archive.'),
        bytes: sizeValue({ min: 1, max: max_bytes })
          .prefault('100GB')
          .describe(
            'Total size of the new files in 24 hours. Default 100GB: about a day on a line of 10 Mbit/s.',
          ),
      }),
    ],
    'must be off, or files, bytes or both, such as { files: 100000, bytes: 100GB }',
  )
  .prefault({})
  .describe(
    'If all folders together have more new files or bytes in 24 hours, the rest waits until a user runs `sluice ' +
      'accept PATH`. So a disk that is mounted in the wrong place is not uploaded in one night. off: no upload ' +
      'limit.',
  )

const max_bytes_per_day = z
  .union([off, sizeValue({ min: 1, max: max_bytes })], 'must be off, or a size such as 50GB')
  .prefault('off')
  .describe(
    'The most bytes that are sent in 24 hours. Other files wait. Default off: only metered lines need this limit.',
  )

export const uploads_schema = z.strictObject({
  concurrency: count({ usual: 16, min: 1, max: 64 }).describe(
    'The most calls for uploads at once. Sluice begins with four. It makes more calls while that increases the ' +
      'rate, and half as many when the service answers 429 or 503 or does not answer in time. Large files leave a ' +
      'place for small ones. Default 16: over a long distance more calls are faster; a service nearby needs fewer.',
  ),
  order: choice(['newest', 'as_found'], 'newest').describe(
    'Which files are uploaded first. newest: those that were changed last. as_found: those that Sluice found ' +
      'first. Default newest: users ask about present work first. If files arrive faster than the line can send ' +
      'them, the oldest wait for long; with as_found each file has its turn.',
  ),
  bandwidth,
  limit: upload_limit,
  max_bytes_per_day,
  min_resend_s: duration('s', { usual: '10m', min: 0, max: 86_400 }).describe(
    'A file that changes again and again is uploaded at most once in this time, in its last version. Default ' +
      '10m: a document that is saved each minute is uploaded six times an hour instead of sixty times.',
  ),
})

export const ledger_schema = z.strictObject({
  history_days: count({ usual: 90, min: 1, max: 3_650 }).describe(
    'Days for which `sluice explain` has the history of a file. Default 90: users mostly ask within weeks. The ' +
      'state of each file is kept without a limit.',
  ),
})

export const log_schema = z.strictObject({
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], 'info').describe(
    'The lowest level that is logged. Default info: it is enough to explain later what happened. ' +
      'SLUICE_LOG_LEVEL overrides it.',
  ),
  format: choice(['auto', 'json', 'pretty'], 'auto').describe(
    'pretty: readable; json: one object a line; auto (default): readable on a terminal, in the journal and in a ' +
      '--log-file, JSON elsewhere. SLUICE_LOG_FORMAT overrides it.',
  ),
})

/** Settings of each folder about assets that its files no longer need. */
export const removal_policy = {
  on_delete: choice(['keep', 'remove'], 'keep').describe(
    'What happens to the asset of a file that is deleted here. keep (default): it stays in the project and is ' +
      'still used for answers, so that a loss here causes no loss there. remove: it is removed there after ' +
      'delete_grace_ms, once every folder of the project was scanned after that and no file in them has these ' +
      'bytes.',
  ),
  delete_grace_ms: duration('ms', { usual: '7d', min: second_ms, max: 60 * day_ms }).describe(
    'With on_delete: remove, how long a file must be gone before its asset is removed. Default 7d: this is ' +
      'enough time to put back files that were deleted by mistake, or to finish a copy after a weekend. At most 60 ' +
      'days, because Sluice forgets deleted files after 90.',
  ),
  on_change: choice(['keep', 'remove_old'], 'keep').describe(
    'What happens to the old version of a file that changes. keep (default): both versions are used for answers, ' +
      'and status counts the old ones. remove_old: the old one is removed there once the new one is ready, every ' +
      'other folder of the project was scanned since, and no file has the old bytes.',
  ),
}

export const removal_schema = z.strictObject({
  max_files: count({ usual: 100, min: 0, max: 1_000_000 }).describe(
    'If more assets of one folder than this are to be removed (and more than max_percent of it), they wait for ' +
      '`sluice accept --removals FOLDER`. Default 100: users mostly delete tens of files; hundreds at once come ' +
      'from a script, a wrong mount or an intruder. 0: only the percentage counts. With any value, removals also ' +
      'wait if more than half of a folder and more than 10 of its files were deleted within a day: the folder was ' +
      'wiped, or its disk is missing.',
  ),
  max_percent: count({ usual: 10, min: 0, max: 100 }).describe(
    'The same limit in percent of the files that the folder has and had. Default 10: in a large folder, a ' +
      'hundred deleted files are usual. With max_files 0 and max_percent 0 every removal waits for a user.',
  ),
})
