import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { folderNaming, foldersNaming, type HeldName } from '../../domain/asset-name.ts'

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

/** Writes the names of assets. */
export function createNameRows(database: Sqlite) {
  const known = database.prepare(
    `SELECT 1 FROM asset_names WHERE content = ? AND text = ? AND state <> 'past'`,
  )
  const made_here = database.prepare('SELECT made_here FROM contents WHERE id = ?').pluck()
  const files = database.prepare(
    `SELECT folders.name AS folder, path FROM files JOIN folders ON folders.id = files.folder
       WHERE content = ? LIMIT ${max_compared}`,
  )
  const forget_sql = database.prepare('DELETE FROM asset_names WHERE content = ?')
  const put = database.prepare(
    `INSERT INTO asset_names (content, text, folder, state) VALUES (@content, @text, @folder,
         iif(EXISTS (SELECT 1 FROM asset_names WHERE content = @content), 'other', 'shown'))
       ON CONFLICT DO UPDATE SET state = 'other', folder = excluded.folder`,
  )

  /** Sluice gives a new asset this name. */
  function give(content: number, name: HeldName): void {
    forget(content)
    put.run({ content, ...name })
  }

  /**
   * Takes up a name that the service showed; undefined: it showed none. A list may be outdated, so
   * its name does not replace a known one.
   */
  function learn(content: number, text: string | undefined): void {
    if (text === undefined || known.get(content, text)) return
    const is_ours = readOne<0 | 1>(made_here, content) === 1
    put.run({ content, text, folder: folderNaming(text, readAll(files, content), is_ours) })
  }

  const forget = (content: number): void => void forget_sql.run(content)
  return { naming: createNamingReader(database), give, learn, forget }
}

export type NameRows = ReturnType<typeof createNameRows>
