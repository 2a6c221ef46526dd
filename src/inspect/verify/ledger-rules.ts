import type { Sqlite } from '../../base/files/sqlite.ts'
import { content_states, queue_by_state } from '../../ledger/rows/content-rows.ts'

/** A rule that some rows break, by a fault of Sluice or by another program. */
export interface BrokenRule {
  /** The fault, as a clause: `a present file has no content`. */
  what: string
  rows: number
  /** One of these rows, for example by folder and path, or by its number. */
  example: string
}

interface Rules {
  /** The part of a SELECT from FROM on. It yields each row once. */
  from: string
  /** SQL that names a row. */
  example: string
  /** The faults, each with its SQL condition. A row counts for the first one that holds. */
  broken: readonly (readonly [what: string, sql: string])[]
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')
const file_name = `coalesce((SELECT name FROM folders WHERE id = files.folder), 'folder ' || files.folder) || '/' || path`

const of_files: Rules = {
  from: 'FROM files LEFT JOIN contents ON contents.id = files.content LEFT JOIN folders ON folders.id = files.folder',
  example: file_name,
  broken: [
    ['a file is of a folder that the ledger does not have', 'folders.id IS NULL'],
    [
      'a file has an unknown state',
      `files.state NOT IN ('seen', 'present', 'gone', 'skipped', 'blocked')`,
    ],
    [
      'a file is of a content that the ledger does not have',
      'files.content IS NOT NULL AND contents.id IS NULL',
    ],
    ['a present file has no content', `files.state = 'present' AND contents.id IS NULL`],
    [
      'a present file has another size than its content',
      `files.state = 'present' AND contents.size <> files.size`,
    ],
    [
      'a file waits for its next check and is never due',
      `files.state = 'seen' AND files.not_before_ms IS NULL`,
    ],
    [
      'a file is left out or blocked for no reason',
      `files.state IN ('skipped', 'blocked') AND files.reason IS NULL`,
    ],
    ['a file is gone since no time', `files.state = 'gone' AND files.gone_ms IS NULL`],
    [
      'a ready file never arrived in its folder, so no prompt sees it',
      `files.state = 'present' AND contents.state = 'ready' AND NOT EXISTS
         (SELECT 1 FROM arrivals WHERE arrivals.folder = files.folder AND arrivals.content = files.content)`,
    ],
  ],
}

const of_contents: Rules = {
  from: 'FROM contents',
  example: `'content ' || contents.id`,
  broken: [
    ['a content has an unknown state', `state NOT IN (${quoted(content_states)})`],
    [
      'a content is of a project that the ledger does not have',
      'project NOT IN (SELECT id FROM projects)',
    ],
    ['a content is in the queue of another state', `queue IS NOT ${queue_by_state}`],
    [
      'a content that the service has is of no asset',
      `state IN ('reserved', 'sent', 'ingesting', 'ready', 'removing') AND asset_id IS NULL`,
    ],
    [
      'a content is refused for no reason',
      `state IN ('refused', 'type_refused') AND error_code IS NULL`,
    ],
    ['a content has no whole md5', 'length(md5) <> 16'],
  ],
}

/** A sum of no files has no row in `counts`, or a row with 0. */
const of_counts: Rules = {
  from: `FROM (
    SELECT folder, stage, sum(files) AS files, sum(bytes) AS bytes FROM (
      SELECT folder, stage, files, bytes FROM counts
      UNION ALL
      SELECT files.folder, iif(files.state = 'present', coalesce(contents.state, files.state), files.state), -1, -files.size
      FROM files LEFT JOIN contents ON contents.id = files.content)
    GROUP BY folder, stage) AS sums LEFT JOIN folders ON folders.id = sums.folder`,
  example: `coalesce(folders.name, 'folder ' || folder) || ': ' || stage`,
  broken: [
    ['a count that status shows differs from the files', 'sums.files <> 0 OR sums.bytes <> 0'],
  ],
}

/** Rules that find rows of `table` whose `column` names a row that `parent` does not have. */
function orphans(table: string, column: string, parent: string, what: string): Rules {
  const named = `${table}.${column}`
  return {
    from: `FROM ${table}`,
    example: `'${table} of ' || ${named}`,
    broken: [
      [
        what,
        `${named} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${parent} WHERE ${parent}.id = ${named})`,
      ],
    ],
  }
}

const of_others: readonly Rules[] = [
  orphans(
    'arrivals',
    'content',
    'contents',
    'an arrival is of a content that the ledger does not have',
  ),
  orphans(
    'arrivals',
    'folder',
    'folders',
    'an arrival is in a folder that the ledger does not have',
  ),
  orphans(
    'partings',
    'content',
    'contents',
    'a file parted from a content that the ledger does not have',
  ),
  orphans(
    'asset_labels',
    'content',
    'contents',
    'a label is of a content that the ledger does not have',
  ),
  orphans(
    'asset_names',
    'content',
    'contents',
    'a name is of a content that the ledger does not have',
  ),
  orphans(
    'label_intents',
    'content',
    'contents',
    'a label in doubt is of a content that the ledger does not have',
  ),
  {
    from: 'FROM label_intents JOIN contents ON contents.id = label_intents.content',
    example: `'content ' || contents.id`,
    broken: [
      [
        'a content counts as labelled while one of its labels is in doubt',
        `state = 'ready' AND labels_due_ms IS NULL AND EXISTS
           (SELECT 1 FROM files JOIN folders ON folders.id = files.folder
            WHERE files.content = contents.id AND files.state = 'present' AND configured = 1
              AND (labels <> '[]' OR label_from <> 'none'))`,
      ],
    ],
  },
  ...['run_assets', 'deliveries'].map((table) =>
    orphans(
      table,
      'run',
      'runs',
      `a part of a run (${table}) is of a run that the ledger does not have`,
    ),
  ),
  orphans(
    'deliveries',
    'alert',
    'alerts',
    'a delivery is of an alert that the ledger does not have',
  ),
  orphans(
    'covered',
    'prompt',
    'prompts',
    'what a report covered is of a prompt that the ledger does not have',
  ),
  {
    from: `FROM covered LEFT JOIN runs ON runs.id = covered.run`,
    example: `'run ' || covered.run`,
    broken: [
      ['what a report covered is of the run of another prompt', 'runs.prompt <> covered.prompt'],
      [
        'what a report covered is of a run whose report was never written',
        `runs.state <> 'written'`,
      ],
      [
        // Old runs are deleted, but what their reports covered is kept for ever.
        'what a report covered is of a run that never was',
        `covered.run > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0)`,
      ],
    ],
  },
]

const foreign_keys: Rules = {
  from: 'FROM pragma_foreign_key_check',
  example: `"table" || ' of ' || parent`,
  broken: [['a row names one that the ledger does not have', 'TRUE']],
}

/** Each rule is one statement, so that it sees the ledger at one moment. */
const rules: readonly Rules[] = [of_files, of_contents, of_counts, ...of_others, foreign_keys]

/** The number of steps of `brokenRules`. */
export const rule_steps = rules.length

/** The broken rules of one step, which reads each row of one or two tables once. */
export function brokenRules(database: Sqlite, step: number): BrokenRule[] {
  const { from, example, broken } = rules[step]!
  const cases = broken.map(([, sql], index) => `WHEN ${sql} THEN ${index}`).join(' ')
  const rows = database
    .prepare(
      `SELECT rule, count(*) AS rows, min(example) AS example
       FROM (SELECT CASE ${cases} END AS rule, ${example} AS example ${from}) WHERE rule IS NOT NULL GROUP BY rule`,
    )
    .all() as { rule: number; rows: number; example: string }[]
  return rows.map(({ rule, rows, example }) => ({ what: broken[rule]![0], rows, example }))
}
