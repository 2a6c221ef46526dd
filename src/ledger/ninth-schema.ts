/*
 * What came to ledger.db with its ninth version.
 *
 * contents.failing_since_ms   when the first of the failures that `attempts` counts happened; NULL: none.
 * contents_failing            the contents that fail, for health: it asks for the one that has failed for longest every few seconds.
 * contents.slot_failures      failures in a row on the slot that it has now. It takes the place of `slots_lost`.
 * label_intents              labels whose attach or detach began and has no recorded answer: the asset may carry them or not.
 */
export const ninth = `
ALTER TABLE contents ADD COLUMN failing_since_ms INTEGER;
ALTER TABLE contents RENAME COLUMN slots_lost TO slot_failures;
UPDATE contents SET slot_failures = 0 WHERE slot_failures <> 0;
CREATE INDEX contents_failing ON contents (failing_since_ms) WHERE failing_since_ms IS NOT NULL;
CREATE TABLE label_intents (
  content INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (content, name)
) STRICT, WITHOUT ROWID;
`
