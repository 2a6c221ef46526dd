import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { day_ms } from '../../base/time/time.ts'
import {
  chooseName,
  folderNaming,
  foldersNaming,
  type HeldName,
  uploadName,
} from '../../domain/asset-name.ts'
import type { NameFact } from '../../domain/fact.ts'
import type { FolderRows } from './folder-rows.ts'

/** Paths that are compared with a name: thousands of files may have the same bytes. */
const max_compared = 1_000

/**
 * Reads where the names of an asset come from, as `foldersNaming` says it. `file`: the folder and
 * path of one of its files. `with_past`: also names that it had earlier.
 */
export function createNamingReader(database: Sqlite) {
  const names = database.prepare(
    `SELECT text, asset_names.folder FROM contents JOIN asset_names ON content = id
       WHERE asset_id = @asset_id AND (asset_names.state <> 'past' OR @with_past)`,
  )
  return (asset_id: string, file: string, with_past: 0 | 1 = 0): (string | null)[] => {
    const [folder = '', ...path] = file.split('/')
    const held = readAll<HeldName>(names, { asset_id, with_past })
    return foldersNaming(held, { folder, path: path.join('/') })
  }
}

/**
 * SQL for names that may be compared or given until a time (`@until`). A project whose service
 * refuses to rename assets is tried again after a day.
 */
export const names_due = `FROM asset_names JOIN contents ON contents.id = content
  JOIN projects ON projects.id = contents.project
  WHERE due_ms <= @until AND contents.state = 'ready' AND NOT EXISTS
    (SELECT 1 FROM name_refusals WHERE name_refusals.project = contents.project AND tried_ms > @now - ${day_ms})`

/** Names that an asset may have now, the one that was shown last first. */
type Names = [shown?: HeldName, ...others: HeldName[]]

/** Writes the names of assets, and says which they should have. */
export function createNameRows(database: Sqlite, folders: FolderRows) {
  const names_sql = database.prepare(
    `SELECT text, folder FROM asset_names WHERE content = ? AND state <> 'past' ORDER BY state = 'other'`,
  )
  const made_here = database.prepare('SELECT made_here FROM contents WHERE id = ?').pluck()
  const files = database.prepare(
    `SELECT folders.name AS folder, path FROM files JOIN folders ON folders.id = files.folder
       WHERE content = ? LIMIT ${max_compared}`,
  )
  const given_sql = database.prepare(
    `SELECT folders.name AS folder, path FROM files JOIN folders ON folders.id = files.folder
       WHERE content = ? AND state = 'present' AND configured = 1`,
  )
  const forget_sql = database.prepare('DELETE FROM asset_names WHERE content = ?')
  const put = database.prepare(
    `INSERT INTO asset_names (content, text, folder, state) VALUES (@content, @text, @folder,
         iif(EXISTS (SELECT 1 FROM asset_names WHERE content = @content), 'other', 'shown'))
       ON CONFLICT DO UPDATE SET state = 'other', folder = excluded.folder WHERE state = 'past'`,
  )
  const show = database.prepare(
    `UPDATE asset_names SET state = iif(text = @text, 'shown', 'past'), due_ms = NULL WHERE content = @content`,
  )
  const due_sql = database.prepare(
    `UPDATE asset_names SET due_ms = ? WHERE content = ? AND state = 'shown'`,
  )
  const refuse = database.prepare(
    `INSERT INTO name_refusals (project, code, message, since_ms, tried_ms)
       SELECT project, @code, @message, @at_ms, @at_ms FROM contents WHERE id = @content
       ON CONFLICT DO UPDATE SET code = excluded.code, message = excluded.message, tried_ms = excluded.tried_ms`,
  )
  const unrefuse = database.prepare(
    'DELETE FROM name_refusals WHERE project = (SELECT project FROM contents WHERE id = ?)',
  )

  const namesOf = (content: number) => readAll<HeldName>(names_sql, content) as Names
  const forget = (content: number): void => void forget_sql.run(content)

  /** Sluice gives a new asset this name. */
  function give(content: number, name: HeldName): void {
    forget(content)
    put.run({ content, ...name })
  }

  /**
   * Takes up a name that the service showed; undefined: it showed none. A list may be outdated, so
   * its name does not replace a known one, but the asset is read alone.
   */
  function learn(content: number, text: string | undefined, at_ms: number): void {
    const known = namesOf(content)
    if (text === undefined || known.some((name) => name?.text === text)) return
    const is_ours = readOne<0 | 1>(made_here, content) === 1
    put.run({ content, text, folder: folderNaming(text, readAll(files, content), is_ours) })
    if (known.length > 0) due(content, at_ms)
  }

  const due = (content: number, at_ms: number | undefined): void => void due_sql.run(at_ms, content)

  /**
   * The name that the asset should have. Undefined if its name stays: no file gives one, or a user
   * or another program gave the present one.
   */
  function wanted(content: number, shown = namesOf(content)[0]): HeldName | undefined {
    if (shown?.folder === undefined) return undefined
    const given = readAll<{ folder: string; path: string }>(given_sql, content)
    const names = given.map(({ folder, path }) => {
      return { folder, text: uploadName(folders.named(folder)!, path) }
    })
    return chooseName(shown, names)
  }

  function apply(fact: NameFact, at_ms: number): void {
    const { content } = fact
    if (fact.type === 'name_intended') put.run({ content, ...fact.given_name })
    else if (fact.type === 'name_deferred') {
      due(content, fact.not_before_ms)
      if (fact.error) refuse.run({ content, at_ms, ...fact.error })
    } else {
      learn(content, fact.shown_name, at_ms)
      show.run({ content, text: fact.shown_name })
      unrefuse.run(content)
      // The files may have changed meanwhile. A name that the service rejected is not tried again.
      const next = wanted(content)?.text ?? fact.tried
      if (next !== fact.tried && next !== fact.shown_name) due(content, at_ms)
    }
  }

  /** Makes the name due if another one is wanted. */
  function check(content: number, at_ms: number): void {
    const [shown] = namesOf(content)
    const next = wanted(content, shown)
    if (next && next.text !== shown?.text) due(content, at_ms)
  }

  const naming = createNamingReader(database)
  return { naming, namesOf, wanted, give, learn, due, check, apply, forget }
}

export type NameRows = ReturnType<typeof createNameRows>
