import { hasCharacters } from '../base/format.ts'
import type { Sqlite } from '../base/sqlite.ts'
import type { LabelFact } from '../domain/fact.ts'
import type { FolderRows } from './folder-rows.ts'

/** Applies facts about labels, and answers which labels a content should carry. */
export class LabelRecorder {
  readonly #folders: FolderRows
  readonly #attached
  readonly #attach
  readonly #detach
  readonly #in_doubt
  readonly #intend
  readonly #forget_intent
  readonly #due
  readonly #places

  constructor(database: Sqlite, folders: FolderRows) {
    this.#folders = folders
    this.#attached = database.prepare('SELECT name, label_id FROM asset_labels WHERE content = ? ORDER BY name')
    this.#attach = database.prepare('INSERT OR REPLACE INTO asset_labels (content, name, label_id) VALUES (?, ?, ?)')
    this.#detach = database.prepare('DELETE FROM asset_labels WHERE content = ? AND name = ?')
    this.#in_doubt = database.prepare('SELECT name FROM label_intents WHERE content = ? ORDER BY name').pluck()
    this.#intend = database.prepare('INSERT OR IGNORE INTO label_intents (content, name) VALUES (?, ?)')
    this.#forget_intent = database.prepare('DELETE FROM label_intents WHERE content = ? AND name = ?')
    this.#due = database.prepare('UPDATE contents SET labels_due_ms = ? WHERE id = ?')
    this.#places = database.prepare(
      `SELECT DISTINCT folder, substr(path, 1, max(0, instr(path, '/') - 1)) AS first_folder
       FROM files WHERE content = ? AND state = 'present'`,
    )
  }

  apply(fact: LabelFact): void {
    switch (fact.type) {
      case 'labels_intended':
        for (const name of fact.names) this.#intend.run(fact.content, name)
        break
      case 'labels_unsent':
        for (const name of fact.names) this.#forget_intent.run(fact.content, name)
        break
      case 'label_attached':
        this.#forget_intent.run(fact.content, fact.name)
        this.#attach.run(fact.content, fact.name, fact.label_id)
        break
      case 'label_detached':
        this.#forget_intent.run(fact.content, fact.name)
        this.#detach.run(fact.content, fact.name)
        break
      case 'labels_settled':
        if (this.#isStillWanted(fact.content, fact.wanted)) this.#due.run(null, fact.content)
        break
      case 'labels_set_back':
        if (fact.wanted === undefined || this.#isStillWanted(fact.content, fact.wanted))
          this.#due.run(fact.not_before_ms, fact.content)
        break
    }
  }

  /** A path that came or went meanwhile, or another config, changed the wanted set: then the labels stay due. */
  #isStillWanted(content: number, wanted: readonly string[]): boolean {
    const now = this.wanted(content)
    return now === undefined || JSON.stringify(now) === JSON.stringify(wanted)
  }

  attached(content: number): { name: string; label_id: string }[] {
    return this.#attached.all(content) as { name: string; label_id: string }[]
  }

  /** Names of labels whose attach or detach began and has no recorded answer. */
  inDoubt(content: number): string[] {
    return this.#in_doubt.all(content) as string[]
  }

  /** The union over the present paths, sorted; undefined when no configured folder holds it: then its labels stay. */
  wanted(content: number): string[] | undefined {
    const places = this.#places.all(content) as { folder: number; first_folder: string }[]
    const names = new Set<string>()
    let is_held = false
    for (const { folder: id, first_folder } of places) {
      const folder = this.#folders.withId(id)
      if (!folder?.configured) continue
      is_held = true
      for (const label of folder.labels) names.add(label)
      if (folder.label_from === 'first_folder' && isLabelName(first_folder)) names.add(first_folder)
    }
    return is_held ? [...names].sort() : undefined
  }
}

export function areSettled(attached: readonly { name: string }[], wanted: readonly string[]): boolean {
  return attached.length === wanted.length && attached.every(({ name }) => wanted.includes(name))
}

/** Contract, section 2: `label_name` has 2 to 255 characters. */
function isLabelName(name: string): boolean {
  return hasCharacters(name, 2, 255)
}
