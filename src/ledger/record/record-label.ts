import type { Sqlite } from '../../base/files/sqlite.ts'
import { hasCharacters } from '../../base/text/format.ts'
import type { LabelFact } from '../../domain/fact.ts'
import type { FolderRows } from '../rows/folder-rows.ts'

/** Applies facts about labels, and returns the labels that a content should carry. */
export function createLabelRecorder(database: Sqlite, folders: FolderRows) {
  const attached_sql = database.prepare('SELECT name, label_id FROM asset_labels WHERE content = ? ORDER BY name')
  const attach = database.prepare('INSERT OR REPLACE INTO asset_labels (content, name, label_id) VALUES (?, ?, ?)')
  const detach = database.prepare('DELETE FROM asset_labels WHERE content = ? AND name = ?')
  const in_doubt = database.prepare('SELECT name FROM label_intents WHERE content = ? ORDER BY name').pluck()
  const intend = database.prepare('INSERT OR IGNORE INTO label_intents (content, name) VALUES (?, ?)')
  const forget_intent = database.prepare('DELETE FROM label_intents WHERE content = ? AND name = ?')
  const due = database.prepare('UPDATE contents SET labels_due_ms = ? WHERE id = ?')
  const places_sql = database.prepare(
    `SELECT DISTINCT folder, substr(path, 1, max(0, instr(path, '/') - 1)) AS first_folder
       FROM files WHERE content = ? AND state = 'present'`,
  )

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
        break
      case 'label_detached':
        forget_intent.run(fact.content, fact.name)
        detach.run(fact.content, fact.name)
        break
      case 'labels_settled':
        if (isStillWanted(fact.content, fact.wanted)) due.run(null, fact.content)
        break
      case 'labels_deferred':
        if (fact.wanted === undefined || isStillWanted(fact.content, fact.wanted))
          due.run(fact.not_before_ms, fact.content)
        break
    }
  }

  /** False if other labels are wanted by now. Then they stay due. */
  function isStillWanted(content: number, said: readonly string[]): boolean {
    const now = wanted(content)
    return now === undefined || JSON.stringify(now) === JSON.stringify(said)
  }

  function attached(content: number): { name: string; label_id: string }[] {
    return attached_sql.all(content) as { name: string; label_id: string }[]
  }

  /** Names of labels whose attach or detach began and has no recorded answer. */
  function inDoubt(content: number): string[] {
    return in_doubt.all(content) as string[]
  }

  /**
   * The labels that all present paths give together, sorted; undefined if no configured folder
   * holds the content: then its labels stay.
   */
  function wanted(content: number): string[] | undefined {
    const places = places_sql.all(content) as { folder: number; first_folder: string }[]
    const names = new Set<string>()
    let is_held = false
    for (const { folder: id, first_folder } of places) {
      const folder = folders.withId(id)
      if (!folder?.configured) continue
      is_held = true
      for (const label of folder.labels) names.add(label)
      if (folder.label_from === 'first_folder' && isLabelName(first_folder)) names.add(first_folder)
    }
    return is_held ? [...names].sort() : undefined
  }

  return { apply, attached, inDoubt, wanted }
}

export type LabelRecorder = ReturnType<typeof createLabelRecorder>

export function areSettled(attached: readonly { name: string }[], wanted: readonly string[]): boolean {
  return attached.length === wanted.length && attached.every(({ name }) => wanted.includes(name))
}

/** Contract, section 2: `label_name` has 2 to 255 characters. */
function isLabelName(name: string): boolean {
  return hasCharacters(name, 2, 255)
}
