import { type Migration, openSqliteReadOnly, type Sqlite } from '../../base/files/sqlite.ts'
import { dataPaths } from './database.ts'

/** The index of passages of assets, for the assistant. It can be made again from the objects. */
export const passage_migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE VIRTUAL TABLE passages USING fts5 (
  text, asset UNINDEXED, project UNINDEXED,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Every asset that was read, and its rows, which lie together: first to last rowid, none where last is smaller.
CREATE TABLE spans (asset INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
`,
  },
]

export interface Hit {
  asset: number
  text: string
}

export interface SearchRequest {
  /** A passage with any of these words matches. More and rarer words rank it higher (BM25). */
  words: readonly string[]
  /** The search covers these projects, by number, and the assets below. */
  projects: readonly number[]
  assets: readonly number[]
  limit: number
}

export function openPassageIndex(database: Sqlite) {
  const insert = database.prepare('INSERT INTO passages (text, asset, project) VALUES (?, ?, ?)')
  const span = database.prepare('SELECT first, last FROM spans WHERE asset = ?')
  const keep_span = database.prepare('INSERT INTO spans (asset, first, last) VALUES (?, ?, ?)')
  const drop_span = database.prepare('DELETE FROM spans WHERE asset = ?')
  const drop = database.prepare('DELETE FROM passages WHERE rowid BETWEEN ? AND ?')
  const search = database.prepare(
    `SELECT asset, text FROM passages WHERE passages MATCH ?
       AND (project IN (SELECT value FROM json_each(?)) OR asset IN (SELECT value FROM json_each(?)))
     ORDER BY rank LIMIT ?`,
  )

  function forget(asset: number): void {
    const rows = span.get(asset) as { first: number; last: number } | undefined
    if (!rows) return
    drop.run(rows.first, rows.last)
    drop_span.run(asset)
  }

  return {
    /** Replaces the passages of an asset. A second call with the same ones changes nothing. */
    replace(asset: number, project: number, passages: Iterable<string>): void {
      forget(asset)
      let first: number | bigint | undefined
      // An asset without passages has an empty span, which shows that it was read.
      let last: number | bigint = 0
      for (const passage of passages) {
        last = insert.run(passage, asset, project).lastInsertRowid
        first ??= last
      }
      keep_span.run(asset, first ?? 1, last)
    },
    forget,
    /** True if the asset was read into this index. */
    has: (asset: number) => span.get(asset) !== undefined,
    search({ words, projects, assets, limit }: SearchRequest): Hit[] {
      if (words.length === 0) return []
      // Each word is a quoted string, so that nothing in a prompt is syntax (sqlite.org/fts5.html,
      // "FTS5 Strings").
      const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
      return search.all(match, JSON.stringify(projects), JSON.stringify(assets), limit) as Hit[]
    },
  }
}

/**
 * Some passages of a service that may run, first those that were read first. Error
 * `database.missing`: it has read no file yet.
 */
export function samplePassages(data_dir: string, limit: number): string[] {
  const database = openSqliteReadOnly(dataPaths(data_dir).passages, passage_migrations)
  try {
    return database.prepare('SELECT text FROM passages LIMIT ?').pluck().all(limit) as string[]
  } finally {
    database.close()
  }
}
