/** SQL that is true for a row of `readings` whose asset was read in part, as `amountRead` says. */
export const read_in_part = 'seen > 0 AND seen < of AND unit IS NOT NULL'

/*
 * readings   how much of each asset the service could read (`Reading` in domain/reading.ts). No
 *            row: the service does not say it. `unit` is NULL if Sluice does not know the unit of
 *            the service.
 *   readings_in_part   the assets that were read in part, to count and list them.
 *   due_ms   when the record is read again, because the service reads the asset further.
 */
export const readings_schema = `
CREATE TABLE readings (
  content INTEGER PRIMARY KEY,
  of INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  unit TEXT,
  why TEXT
) STRICT;
CREATE INDEX readings_in_part ON readings (content) WHERE ${read_in_part};
-- The lists of the next audit show the readings of all assets that are there already.
UPDATE audits SET wanted = 1;
`

export const growing_readings_schema = `
ALTER TABLE readings ADD COLUMN due_ms INTEGER;
CREATE INDEX readings_due ON readings (due_ms) WHERE due_ms IS NOT NULL;
`
