import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { LabelFact } from '../../domain/fact.ts'
import { type GivenLabels, labelGiver, labelNames } from '../../domain/labels.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { FolderRows } from '../rows/folder-rows.ts'

/** Applies facts about labels, and returns the labels that a content should carry. */
export function createLabelRecorder(database: Sqlite, folders: FolderRows) {
  const attached_sql = database.prepare(
    'SELECT name, label_id FROM asset_labels WHERE content = ? ORDER BY name',
  )
  const attach = database.prepare(
    'INSERT OR REPLACE INTO asset_labels (content, name, label_id) VALUES (?, ?, ?)',
  )
  const detach = database.prepare('DELETE FROM asset_labels WHERE content = ? AND name = ?')
  const in_doubt_sql = database
    .prepare('SELECT name FROM label_intents WHERE content = ? ORDER BY name')
    .pluck()
  const intend = database.prepare(
    'INSERT OR IGNORE INTO label_intents (content, name) VALUES (?, ?)',
  )
  const forget_intent = database.prepare('DELETE FROM label_intents WHERE content = ? AND name = ?')
  const due = database.prepare('UPDATE contents SET labels_due_ms = ? WHERE id = ?')
  // It outlives the process that met it: refused labels are tried once a day.
  const end_trouble = database.prepare(
    `DELETE FROM troubles WHERE about = (SELECT 'labels:' || project_id FROM projects
       JOIN contents ON contents.project = projects.id WHERE contents.id = ?)`,
  )
  const paths_sql = database.prepare(
    `SELECT folder, path FROM files WHERE content = ? AND state = 'present'`,
  )
  /** A changed configuration has another row. */
  const givers = new WeakMap<FolderRow, ReturnType<typeof labelGiver>>()

  function apply(fact: LabelFact): void {
    switch (fact.type) {
      case 'labels_intended':
        for (const name of fact.names) intend.run(fact.content, name)
        break
      case 'labels_unsent':
        for (const name of fact.names) forget_intent.run(fact.content, name)
        break
      case 'label_attached':
        forget_intent.run(fact.content, fact.name)
        attach.run(fact.content, fact.name, fact.label_id)
        end_trouble.run(fact.content)
        break
      case 'label_detached':
        forget_intent.run(fact.content, fact.name)
        detach.run(fact.content, fact.name)
        end_trouble.run(fact.content)
        break
      case 'labels_settled':
      case 'labels_deferred':
        if (fact.wanted === undefined || isStillWanted(fact.content, fact.wanted))
          due.run(fact.type === 'labels_settled' ? null : fact.not_before_ms, fact.content)
        break
    }
  }

  /** False if other labels are wanted by now. Then they stay due. */
  function isStillWanted(content: number, said: readonly string[]): boolean {
    const now = wanted(content)
    return now === undefined || JSON.stringify(now) === JSON.stringify(said)
  }

  /**
   * The labels that all present paths give together, sorted; undefined if no configured folder
   * holds the content: then its labels stay.
   */
  function wanted(content: number): string[] | undefined {
    const given: GivenLabels = { by_rule: new Map(), by_folder: new Set() }
    let is_held = false
    for (const { folder: id, path } of paths_sql.iterate(content) as Iterable<{
      folder: number
      path: string
    }>) {
      const folder = folders.withId(id)
      if (!folder?.configured) continue
      is_held = true
      if (!givers.has(folder)) givers.set(folder, labelGiver(folder))
      givers.get(folder)!(path, given)
    }
    return is_held ? labelNames(given) : undefined
  }

  return {
    apply,
    attached: (content: number) =>
      readAll<{ name: string; label_id: string }>(attached_sql, content),
    inDoubt: (content: number) => readAll<string>(in_doubt_sql, content),
    wanted,
  }
}

export type LabelRecorder = ReturnType<typeof createLabelRecorder>

export function areSettled(
  attached: readonly { name: string }[],
  wanted: readonly string[],
): boolean {
  return attached.length === wanted.length && attached.every(({ name }) => wanted.includes(name))
}
