/*
 * What came to ledger.db with its third version, a block and a paragraph for each thing.
 *
 * stretches  pieces of a walk, from `after_path` (exclusive) to `through_path` (inclusive), that were exactly as the rows of `files`
 *            say, with a digest of what was walked: paths, sizes, times, inodes. While no row in a stretch is written, the same
 *            digest means that nothing there differs, and its rows are not read. Those of one folder never overlap.
 */
const stretches = `
CREATE TABLE stretches (
  folder INTEGER NOT NULL,
  through_path TEXT NOT NULL,
  after_path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (folder, through_path)
) STRICT, WITHOUT ROWID;
`

export const third = [stretches].join('\n')
