/*
 * What came to ledger.db with its fifth version.
 *
 * contents.queue  whose work it is now (content-queue.ts); NULL: nobody's. It follows `state`, and stands apart from it for the sake
 *                 of the indexes: SQLite takes a row out of every index whose condition names a column that is written, and puts it in
 *                 again. A content goes from `wanted` to `sent` by three states, and stays where it is in these.
 */
export const fifth = `
ALTER TABLE contents ADD COLUMN queue TEXT;
UPDATE contents SET queue = iif(state = 'ingesting', 'follow', 'send')
  WHERE state IN ('wanted', 'reserving', 'reserved', 'sent', 'ingesting');
DROP INDEX contents_to_send;
DROP INDEX contents_newest;
DROP INDEX contents_waiting;
CREATE INDEX contents_to_send ON contents (not_before_ms, id) WHERE queue = 'send';
CREATE INDEX contents_newest ON contents (newest_ms DESC, id, not_before_ms, size) WHERE queue = 'send';
CREATE INDEX contents_waiting ON contents (wanted_ms) WHERE queue IS NOT NULL;
`
