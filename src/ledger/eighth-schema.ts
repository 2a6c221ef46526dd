/*
 * What came to ledger.db with its eighth version.
 *
 * files_to_look_in   what is to be looked at, of one folder, the large apart from the others: whoever waits for a large file or for a
 *                    folder reads none of those that wait behind it. Large is `large_bytes` of the domain.
 */
export const eighth = `
CREATE INDEX files_to_look_in ON files (folder, (size >= 16777216), not_before_ms)
  WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;
`
