import { optional, z } from 'zod'
import { control_characters, hasCharacters } from '../../base/text/format.ts'
import { parsePattern } from '../../base/text/ignore-patterns.ts'
import { charset_field } from './charset-field.ts'
import { choice, duration, flag, list, matching, reading, size } from './fields.ts'
import { removal_policy } from './schema-limits.ts'
import { durationFault, parseDuration_ms } from './units.ts'

export const project_id = z
  .string('must be a text')
  .regex(
    /^project_[a-z0-9]{20}$/,
    'must be project_ and 20 small letters or digits, as the service shows it',
  )

const path_pattern = /^(\/|~\/|~$)/

function localPath(wrong: string) {
  return z
    .string('must be a text')
    .regex(path_pattern, wrong)
    .max(4_096, 'must not be longer than 4096 characters, the longest path of Linux')
}

/** An absolute path; resolving the configuration expands `~`. */
export const local_path = localPath('must be an absolute path, or begin with ~/')
/** The fault tells a token from its file, because many users write the token itself there. */
export const token_path = localPath(
  'must be the absolute path of a file that holds the token, or begin with ~/',
)

export const pattern = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1000 characters')

export const label = z
  .string('must be a text')
  .refine((name) => hasCharacters(name, 2, 255), 'must have 2 to 255 characters')
  .refine(
    (name) => !control_characters.test(name),
    'must be in one line, without control characters',
  )
  .meta({ minLength: 2, maxLength: 255 })

const name_pattern = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** The name of a folder that must be there: what is like one is named then (`did you mean`). */
export const known_name = z.string('must be a text').meta({ pattern: name_pattern.source })

/** Names of folders, prompts and deliveries. */
export const name_field = z
  .string('must be a text')
  .regex(
    name_pattern,
    'must be 1 to 64 small letters, digits, dots, dashes or underscores, beginning with a letter or digit',
  )

const wrong_start = 'must be all, from_now, or newer_than with an age, such as { newer_than: 90d }'
const age_words = /^newer_than:?\s*/
const readAge = reading(
  (text) => parseDuration_ms(text.replace(age_words, '')),
  (text, fits) => durationFault(text.replace(age_words, ''), fits),
  (age_ms) => age_ms >= 0,
  wrong_start,
)

const start = z
  .union(
    [
      z.enum(['all', 'from_now']),
      matching(/^newer_than:?\s*\.?\d/, wrong_start).transform(readAge),
      z.strictObject({ newer_than: z.string(wrong_start).transform(readAge) }),
    ],
    wrong_start,
  )
  .transform((value) => {
    if (value === 'all' || value === 'from_now') return { kind: value } as const
    const age_ms = typeof value === 'number' ? value : value.newer_than
    return { kind: 'newer_than', age_ms } as const
  })
  .prefault('all')
  .describe(
    'Which files of the first scan are uploaded: all, from_now (none of them, only files that arrive or change ' +
      'later), or { newer_than: 90d } (those that changed in that time). Default all: no file should be missing ' +
      'without notice. For an old share, choose another value.',
  )

const mime_types = z
  .record(
    z.string().regex(/^\.?[A-Za-z0-9][A-Za-z0-9_+-]*$/, 'must be an extension, such as md'),
    z
      .string('must be a media type, such as text/markdown')
      .regex(
        /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/,
        'must be a media type, such as text/markdown',
      ),
    'must be pairs of extension and media type, such as { md: text/markdown }',
  )
  .transform((types) =>
    Object.fromEntries(
      Object.entries(types).map(([extension, type]) => [
        extension.replace(/^\./, '').toLowerCase(),
        type,
      ]),
    ),
  )
  .prefault({})
  .describe(
    'Media types by file name extension, if the usual table is wrong for your files: { log: text/plain }. Empty ' +
      'by default.',
  )

const charset = optional(charset_field).describe(
  'The character set of the text files in the folder that are not in UTF-8 or UTF-16, such as cp850 for files of ' +
    'DOS. The media type of plain text, CSV, Markdown and source text then names it (text/plain; charset=cp850), ' +
    'and does not for a service that refuses that. HTML, XML, JSON and RTF name their own or have only one. It counts for what is ' +
    'uploaded from now on. Default: none, the service tells it by the letters.',
)

const watch = z
  .enum(['auto', 'chokidar', 'native', 'scan'], 'must be one of auto, chokidar, native, scan')
  .prefault('auto')
  .describe(
    'How Sluice notices changes: chokidar (an inotify watch for each file), native (one for each subfolder), ' +
      'scan (no watcher, only scans on a timer), or auto. Default auto: Sluice chooses by the file system, the ' +
      'number of files and the limits of the kernel. `sluice status` shows the choice and its reason.',
  )

const wrong_add = 'must be a list of 1 to 20 labels'
const label_rule = z.strictObject({
  path: pattern.refine(
    (text) => parsePattern(text)?.negative === false,
    'must be a pattern as in .gitignore, without ! or # at its beginning',
  ),
  add: z.array(label, wrong_add).min(1, wrong_add).max(20, wrong_add),
})

const wrong_label =
  'must be a label of 2 to 255 characters, or a rule such as { path: "/contracts/**", add: [legal] }'

const labels = list(z.union([label, label_rule], wrong_label), 50).describe(
  'Labels that files get once they are ready. A label of 2 to 255 characters in one line is for every file of the folder. A ' +
    'rule such as { path: "/contracts/**", add: [legal] } gives its 1 to 20 labels to the files that match the ' +
    'pattern (as in .gitignore, relative to the folder). All rules that match a file add their labels. At most ' +
    '50 entries, because each file is compared with each rule, and 100 labels for an asset, because each is one ' +
    'call; names of folders are left out first. Empty by default: the labels that users make on the service are ' +
    'mostly enough.',
)

export const folder_schema = z.strictObject({
  name: name_field.describe(
    'The name of the folder in status, in the log and at the beginning of names on the service. Unique. Do not ' +
      'change it later: a new name makes a new folder, and Sluice checks all its files again.',
  ),
  path: local_path.describe(
    'The path of the folder: absolute, or beginning with ~/. It may be missing now: Sluice then waits for it as ' +
      'an offline folder.',
  ),
  project_id: optional(project_id).describe(
    'The project that its files are uploaded to. Default: service.project_id.',
  ),
  include: list(pattern, 1_000).describe(
    'Patterns as in .gitignore. If there are any, Sluice uploads only files that match one. Empty by default: it ' +
      'uploads every file that is not ignored.',
  ),
  exclude: list(pattern, 1_000).describe(
    'Patterns as in .gitignore of files that are not uploaded, after the built-in ones and the .sluiceignore ' +
      'files in the folder. A negation such as "!*.tmp" (in quotes, as every pattern that begins with ! or *) brings back files that a built-in pattern ignores. Empty by ' +
      'default: without a pattern, Sluice uploads only the first 20 files of a type that the service cannot read ' +
      '(enough to know the type from a few damaged files), and then tries one a day.',
  ),
  dot_files: flag(false).describe(
    'true: files and folders whose names begin with a dot are uploaded, too. Default false: they are mostly ' +
      'settings and caches of programs. Secrets by name (.env, .ssh/ …) are never uploaded.',
  ),
  labels,
  label_from: choice(['none', 'first_folder', 'every_folder'], 'none').describe(
    'first_folder: each file gets the name of the first folder below this one as a label, if the name has 2 to ' +
      '255 characters in one line. every_folder: it gets the names of all folders on its path. Default none: all members of ' +
      'the project see labels, so Sluice makes none unless you ask for it.',
  ),
  max_file_bytes: size({ usual: '4GiB', min: 1, max: 2 ** 42 }).describe(
    'Larger files are skipped, and status counts them. Default 4GiB: larger files are mostly disk images and ' +
      'films, which have no text. At most 4TiB.',
  ),
  settle_ms: duration('ms', { usual: '2s', min: 50, max: 3_600_000 }).describe(
    'How long a file must be unchanged before Sluice reads it. Default 2s: programs that save in several steps ' +
      'pause for less, and users hardly notice the wait.',
  ),
  start,
  upload_name: choice(['path', 'base'], 'path').describe(
    'The name of a file in the project: path (folder name and path inside it) or base (file name alone). Default ' +
      'path: an answer then shows which of ten files called minutes.docx it used.',
  ),
  mime_types,
  charset,
  ...removal_policy,
  watch,
  rescan_interval_ms: duration('ms', { usual: '1h', min: 10_000, max: 7 * 86_400_000 }).describe(
    'Time between two scans of the whole folder, give or take a tenth. They find changes that the watcher ' +
      'missed. Default 1h: a scan of a million files takes seconds, and a missed change should not wait for a day.',
  ),
  widening: choice(['warn', 'skip'], 'warn').describe(
    'Subfolders that fewer users can read than the folder itself (by mode, owner and group). In the project, all ' +
      'members can read their files. warn: status and doctor name these subfolders. skip: they are ignored. ' +
      'Default warn: Sluice should not ignore files of a configured folder only because of a mode.',
  ),
})
