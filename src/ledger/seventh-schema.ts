/*
 * What came to ledger.db with its seventh version.
 *
 * folders.moved_ms   since when the folder has another root, or is configured again; NULL once it was looked at as a whole since. Until then
 *                    nothing in it counts as deleted or changed: it is another place.
 * folders.found_*    what a folder that waits for a person is asked about: the root that stood there (as device and root_identity) and how
 *                    many known files were found. `empty_accepted`: a person said that this is right. Both are void after the next whole
 *                    scan. An older ledger does not say what its word was said of: it is asked for again.
 *
 * files.gone_ms      in a row that is not `gone`: the file was, or lay under another root; it holds nothing until its bytes are known.
 * files_skipped_size   as files_unsettled_size, of files that are left out and so may be any: one of them may be the file that is gone,
 *                    under another name.
 *
 * audits.restored_ms  when the ledger came back from a backup, until a full round has ended: what is ready in it may have been
 *                    removed since, by ourselves.
 * wall_clock.back_from_ms, back_to_ms  the clock was set back from there to there, and has not come back to where it was: both NULL
 *                    when it has. Of more than one such the latest and the earliest.
 */
export const seventh = `
ALTER TABLE folders ADD COLUMN moved_ms INTEGER;
ALTER TABLE folders ADD COLUMN found_device INTEGER;
ALTER TABLE folders ADD COLUMN found_identity TEXT;
ALTER TABLE folders ADD COLUMN found_files INTEGER;
UPDATE folders SET empty_accepted = 0;

CREATE INDEX files_skipped_size ON files (size) WHERE state = 'skipped' AND reason <> 'empty';

ALTER TABLE audits ADD COLUMN restored_ms INTEGER;
ALTER TABLE wall_clock ADD COLUMN back_from_ms INTEGER;
ALTER TABLE wall_clock ADD COLUMN back_to_ms INTEGER;
`
