/*
 * asset_names   the names of each asset as the service may show them. Without a row none is known.
 *   folder   name of the folder whose file gave this name; NULL if no file of Sluice is known to.
 *   state    `shown`: Sluice gave it, or the service showed it last. `other`: it may be shown
 *            instead (a rename without an answer, or what a list showed). `past`: it was shown.
 *   due_ms   of the shown name: when to compare it with the files; NULL if there is no need.
 * name_refusals   projects whose assets the service does not rename, with its answer. No asset is
 *            renamed for a day after `tried_ms`. The row goes with the next success, or on `retry`.
 * runs.naming   JSON list of folders that the names of its assets came from when it was planned,
 *            beside those of its files; null is an unknown origin. NULL: planned by an earlier
 *            version.
 */
export const names_schema = `
CREATE TABLE asset_names (
  content INTEGER NOT NULL,
  text TEXT NOT NULL,
  folder TEXT,
  state TEXT NOT NULL,
  due_ms INTEGER,
  PRIMARY KEY (content, text)
) STRICT, WITHOUT ROWID;
CREATE TABLE name_refusals (
  project INTEGER PRIMARY KEY REFERENCES projects (id),
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  tried_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX asset_names_due ON asset_names (due_ms) WHERE due_ms IS NOT NULL;
ALTER TABLE folders ADD COLUMN upload_name TEXT NOT NULL DEFAULT 'path';
ALTER TABLE runs ADD COLUMN naming TEXT;
-- The lists of the next audit show the names of all assets that are there already.
UPDATE audits SET wanted = 1;
`
