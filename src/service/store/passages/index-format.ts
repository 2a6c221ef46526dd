import type { Migration } from '../../../base/files/sqlite.ts'

/**
 * The form of the index. Raise it when the same text would give other passages, places, words of
 * names or normal forms: the index is then made anew from the kept texts.
 */
export const index_form = 2

/** The index of passages of assets, for the assistant. It can be made again from the objects. */
export const passage_migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE VIRTUAL TABLE passages USING fts5 (
  text, asset UNINDEXED, project UNINDEXED,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE spans (asset INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
`,
  },
  {
    version: 2,
    sql: `
-- Passages of the form before, in which no texts were kept. Dropped when all are in the new one.
ALTER TABLE passages RENAME TO earlier_passages;
-- Every asset that was read, with its text (kept-document.ts). Its passages lie together in the table
-- of its project: first to last rowid, none where last is smaller. Those of another form than that
-- of this program are still to be indexed.
CREATE TABLE files (
  asset INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  name TEXT NOT NULL,
  form INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  document BLOB
) STRICT;
CREATE INDEX files_by_form ON files (form, asset);
INSERT INTO files SELECT asset, coalesce((SELECT project FROM earlier_passages WHERE rowid = first), 0), '', 0, first, last, NULL
  FROM spans;
DROP TABLE spans;
CREATE VIRTUAL TABLE file_names USING fts5 (name, tokenize = 'porter unicode61 remove_diacritics 2');
`,
  },
]
