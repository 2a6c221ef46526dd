import { optional, z } from 'zod'
import { hasCharacters } from '../../base/text/format.ts'
import { choice, duration, flag, matching, size, texts } from './fields.ts'
import { removal_policy } from './schema-limits.ts'
import { duration_pattern, parseDuration_ms } from './units.ts'

export const project_id = z
  .string('must be a text')
  .regex(/^project_[a-z0-9]{20}$/, 'must be project_ and 20 small letters or digits, as the service shows it')

const path_pattern = /^(\/|~\/|~$)/
/** An absolute path; resolving the configuration expands `~`. */
export const local_path = z
  .string('must be a text')
  .regex(path_pattern, 'must be an absolute path, or begin with ~/')
  .max(4_096, 'must not be longer than 4096 characters, the longest path of Linux')

export const pattern = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1000 characters')

export const label = z
  .string('must be a text')
  .refine((name) => hasCharacters(name, 2, 255), 'must have 2 to 255 characters')
  .meta({ minLength: 2, maxLength: 255 })

/** Names of folders, prompts and deliveries. */
export const name_field = z
  .string('must be a text')
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'must be 1 to 64 small letters, digits, dots, dashes or underscores, beginning with a letter or digit',
  )

const wrong_start = 'must be all, from_now, or newer_than with an age, such as { newer_than: 90d }'
const age_text = /^newer_than:? ?(.+)$/

const start = z
  .union(
    [
      z.enum(['all', 'from_now']),
      matching(/^newer_than:? ?\d+(\.\d+)? ?(ms|s|m|h|d|w)$/, wrong_start),
      z.strictObject({ newer_than: matching(duration_pattern, wrong_start) }),
    ],
    wrong_start,
  )
  .transform((value) => {
    if (value === 'all' || value === 'from_now') return { kind: value } as const
    const text = typeof value === 'string' ? age_text.exec(value)![1]! : value.newer_than
    return { kind: 'newer_than', age_ms: parseDuration_ms(text) } as const
  })
  .prefault('all')
  .describe(
    'Which of the files found by the first scan are uploaded: all, from_now (none of them, only what comes or changes ' +
      'later), or { newer_than: 90d } (those changed in that time). Default all: no file should be missing without ' +
      'notice; for an old share, choose another.',
  )

const mime_types = z
  .record(
    z.string().regex(/^\.?[A-Za-z0-9][A-Za-z0-9_+-]*$/, 'must be an extension, such as md'),
    z
      .string('must be a media type, such as text/markdown')
      .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, 'must be a media type, such as text/markdown'),
    'must be pairs of extension and media type, such as { md: text/markdown }',
  )
  .transform((types) =>
    Object.fromEntries(
      Object.entries(types).map(([extension, type]) => [extension.replace(/^\./, '').toLowerCase(), type]),
    ),
  )
  .prefault({})
  .describe(
    'Media types by file name extension, where the usual table is wrong for your files: { log: text/plain }. Empty by ' +
      'default: the usual table serves.',
  )

const watch = z
  .enum(['auto', 'chokidar', 'native', 'scan'], 'must be one of auto, chokidar, native, scan')
  .prefault('auto')
  .describe(
    'How changes are noticed: chokidar (an inotify watch for each file), native (one for each subfolder), scan (no watching, a ' +
      'scan on a timer), or auto. Default auto: by the file system, the number of files and what the kernel allows; `sluice ' +
      'status` says what was chosen, and why.',
  )

export const folder_schema = z.strictObject({
  name: name_field.describe(
    'The name of the folder in status, in the log and at the head of the names sent. Unique; what is known of ' +
      'the files hangs on it, so keep it.',
  ),
  path: local_path.describe(
    'The folder, an absolute path or one that begins with ~/. It need not be there now: a missing folder is ' +
      'offline, not a fault.',
  ),
  project_id: optional(project_id).describe('The project its files go to. Default: service.project_id.'),
  include: texts(pattern, 1_000).describe(
    'Patterns as in .gitignore; when there are any, only files that match one are uploaded. Empty by default: ' +
      'everything that is not ignored.',
  ),
  exclude: texts(pattern, 1_000).describe(
    'Patterns as in .gitignore of what is not uploaded, after the built-in ones and the .sluiceignore files in the ' +
      'folder; a negation such as !*.tmp brings back what a built-in one leaves out. Empty by default.',
  ),
  dot_files: flag(false).describe(
    'Whether files and folders whose name begins with a dot are uploaded. Default false: they are settings and caches ' +
      'of programs, hardly ever documents. Secrets by name (.env, .ssh/ …) stay at home even when true.',
  ),
  labels: texts(label, 50).describe(
    'Labels attached to every file of the folder once it is ready, 2 to 255 characters each. Empty by default: ' +
      'labels made by people are enough for most.',
  ),
  label_from: choice(['none', 'first_folder'], 'none').describe(
    'first_folder: the name of the first folder below this one becomes a label of the files in it, when it has 2 to ' +
      '255 characters. Default none: labels are visible to everybody in the project, so they are asked for.',
  ),
  max_file_bytes: size({ usual: '4GiB', min: 1, max: 2 ** 42 }).describe(
    'Larger files are skipped, and said so. Default 4GiB: larger ones are disk images and films, no reading ' +
      'matter. Most 4TiB.',
  ),
  settle_ms: duration('ms', { usual: '2s', min: 50, max: 3_600_000 }).describe(
    'A file is taken up when it has not changed for so long. Default 2s: programs that save in steps pause for ' +
      'less, and people hardly notice the wait.',
  ),
  start,
  upload_name: choice(['path', 'base'], 'path').describe(
    'The name a file gets in the project: path (folder name and path inside it) or base (file name alone). Default ' +
      'path: answers then say which of ten files called minutes.docx is meant.',
  ),
  mime_types,
  ...removal_policy,
  watch,
  rescan_interval_ms: duration('ms', { usual: '1h', min: 10_000, max: 7 * 86_400_000 }).describe(
    'How often the whole folder is scanned in case the watching missed something, give or take a tenth. Default ' +
      '1h: a scan of a million files takes seconds, a lost event should not wait for a day.',
  ),
  widening: choice(['warn', 'skip'], 'warn').describe(
    'What to do with subfolders that fewer people can read than the folder itself (by mode, owner and group): in the ' +
      'project everybody sees their files. warn names them in status and doctor; skip leaves them out, as an ignore rule does. ' +
      'Default warn: naming a folder means all that is in it, and files should not stay out in silence because of a mode.',
  ),
})
