/*
 * create_refusals   the contents that the service refused on create since it last gave a slot in
 *            their project. `answer` is the code of its answer, `extension` the type that it saw.
 *            Contents with the same answer show together what it is about.
 *
 * Earlier versions refused each of them for good. Those that belong together are wanted again.
 * While they are looked for, they are rows of the table.
 */
export const refusals_schema = `
CREATE TABLE create_refusals (
  content INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  answer TEXT NOT NULL,
  extension TEXT NOT NULL
) STRICT;
CREATE INDEX create_refusals_alike ON create_refusals (project, answer);

INSERT INTO create_refusals
  WITH given AS (
    SELECT project, max(intended_ms) AS at_ms FROM contents WHERE asset_id IS NOT NULL GROUP BY project
  ), refused AS (
    SELECT id, contents.project, error_code FROM contents LEFT JOIN given USING (project)
      WHERE state = 'refused' AND asset_id IS NULL AND error_code <> 'gave_up'
        AND coalesce(intended_ms, 0) > coalesce(at_ms, -1)
  )
  SELECT id, project, error_code, '' FROM refused JOIN (
    SELECT project, error_code FROM refused GROUP BY project, error_code HAVING count(*) >= 3
  ) USING (project, error_code);
INSERT INTO counts
  SELECT folder, 'wanted', count(*), sum(size) FROM files
    WHERE state = 'present' AND content IN (SELECT content FROM create_refusals) GROUP BY folder
  ON CONFLICT (folder, stage) DO UPDATE
    SET files = files + excluded.files, bytes = bytes + excluded.bytes;
UPDATE counts SET (files, bytes) = (
    SELECT counts.files - count(*), counts.bytes - coalesce(sum(size), 0) FROM files
      WHERE state = 'present' AND folder = counts.folder
        AND content IN (SELECT content FROM create_refusals)
  ) WHERE stage = 'refused';
UPDATE contents SET state = 'wanted', queue = 'send', not_before_ms = 0, error_code = NULL,
    error_message = NULL, attempts = 0, slot_failures = 0, failing_since_ms = NULL,
    wanted_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000
  WHERE id IN (SELECT content FROM create_refusals);
DELETE FROM create_refusals;
`
