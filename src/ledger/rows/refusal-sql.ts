import { failures_to_blame } from '../../domain/file-type.ts'
import { to_send } from './content-rows.ts'

/*
 * SQL about `create_refusals`. `extension_of` (ledger-file.ts) is the type of a path.
 */

/** A claim, and the search for another type, examine no more rows. */
const max_examined = 1_000

const asks_for_slot = `state IN ('wanted', 'reserving')`
/** A row of `types` that holds its contents. */
const holds = `(types.state = 'refused' OR rests <> '')`
const type_of = `types.project = contents.project AND types.extension = extension_of(path)`

/** Projects in which so many contents were refused alike that their types are in doubt. */
export const doubted = `SELECT project FROM create_refusals
  GROUP BY project, answer HAVING count(*) >= ${failures_to_blame}`

/** Contents that are refused for the same answer, if `least` of all had it. */
export const refused_alike = `SELECT content, extension FROM create_refusals
  JOIN contents ON contents.id = content AND contents.state = 'refused'
  WHERE create_refusals.project = @project AND answer = @answer AND @least <=
    (SELECT count(*) FROM create_refusals WHERE project = @project AND answer = @answer)`

/** Marks the types that were refused alike: one that is refused so again rests at once. */
export const tried_again = `INSERT INTO types
  SELECT DISTINCT project, extension, 'unproven', '[]', 0, '', answer FROM create_refusals
    WHERE project = @project AND answer = @answer
  ON CONFLICT DO UPDATE SET rests = '', answer = excluded.answer`

/** The row of `AlikeRefusals` for a content. */
export const alike_refusals = `WITH
  own AS (SELECT project FROM contents WHERE id = @content),
  alike AS (SELECT content, extension FROM create_refusals
    WHERE project = (SELECT project FROM own) AND answer = @answer),
  waiting AS (SELECT path, project FROM (
      SELECT id, project FROM contents WHERE ${to_send} AND not_before_ms <= @now_ms
        AND ${asks_for_slot} AND project = (SELECT project FROM own)
      ORDER BY not_before_ms, id LIMIT ${max_examined}
    ) JOIN files ON content = id AND files.state = 'present' LIMIT ${max_examined})
  SELECT
    (SELECT count(*) FROM alike WHERE content <> @content) + 1 AS contents,
    (SELECT count(*) FROM alike) >= ${failures_to_blame} AS is_test,
    coalesce(rests <> '', 0) AS rests,
    coalesce(rests = '' AND types.answer = @answer, 0) AS rested,
    EXISTS (SELECT 1 FROM types WHERE project = own.project AND state = 'usable') AS is_project_proven,
    EXISTS (SELECT 1 FROM waiting AS contents WHERE extension_of(path) <> @extension
      AND extension_of(path) NOT IN (SELECT extension FROM alike)
      AND NOT EXISTS (SELECT 1 FROM types WHERE ${type_of} AND ${holds})) AS has_other
  FROM own LEFT JOIN types ON types.project = own.project AND types.extension = @extension`

/**
 * Contents to send while types are in doubt. In a project where they are, one content asks for a
 * slot at a time: best of another type that was ready before, else of another type.
 */
export function deciding(condition: string): string {
  const in_doubt = `EXISTS (SELECT 1 FROM create_refusals
    WHERE project = contents.project AND extension = extension_of(path))`
  // A content that its types hold does not ask. The claim then records that it is held.
  const place = `CASE WHEN NOT any_type AND ${holds} THEN 9 WHEN ${in_doubt} THEN 3
    WHEN types.state = 'usable' THEN 1 ELSE 2 END`
  return `WITH flying AS (SELECT value FROM json_each(@in_flight)),
    asking AS (SELECT project FROM contents WHERE id IN flying AND ${asks_for_slot}),
    doubted AS (${doubted}),
    found AS (SELECT id, project, not_before_ms, iif(project IN doubted AND ${asks_for_slot},
        (SELECT min(${place}) FROM files LEFT JOIN types ON ${type_of}
          WHERE content = contents.id AND files.state = 'present'), 9) AS place
      FROM contents WHERE ${to_send} AND not_before_ms <= @now AND id NOT IN flying AND ${condition}
      ORDER BY not_before_ms, id LIMIT ${max_examined}),
    ordered AS (SELECT *, coalesce(place, 9) = 9 AS may_go, row_number()
      OVER (PARTITION BY project ORDER BY coalesce(place, 9), not_before_ms, id) AS turn FROM found)
    SELECT id FROM ordered WHERE may_go OR (turn = 1 AND project NOT IN asking)
    ORDER BY may_go, not_before_ms, id LIMIT @limit`
}
