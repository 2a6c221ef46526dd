/*
 * What came to ledger.db with its eighth version.
 *
 * files_to_look_in   what is to be looked at, of one folder, the large apart from the others: whoever waits for a large file or for a
 *                    folder reads none of those that wait behind it. Large is `large_bytes` of the domain.
 * files.left_out_after  of a `skipped` row: the highest id of a content when the file was left out as it lies there, for contents that came
 *                    later are not it; NULL: not left out. In an older ledger that is now.
 */
export const eighth = `
ALTER TABLE files ADD COLUMN left_out_after INTEGER;
UPDATE files SET left_out_after = (SELECT coalesce(max(id), 0) FROM contents) WHERE state = 'skipped';
CREATE INDEX files_to_look_in ON files (folder, (size >= 16777216), not_before_ms)
  WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;
`
