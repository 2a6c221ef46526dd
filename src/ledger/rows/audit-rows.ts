import { readAll, readOne, type Sqlite, type Statement } from '../../base/files/sqlite.ts'
import { isMassRemoval } from '../../domain/audit.ts'
import { type AuditCounts, type AuditState, type Emptied, expectedAssets } from '../audit-work.ts'

/** Counters of a round, named as their columns. */
const counters = ['usable', 'unready', 'failed', 'missing', 'unknown', 'slots'] as const
export type Counter = (typeof counters)[number]

interface Row extends Record<Counter, number> {
  project: number
  project_id: string
  round: number
  wanted: 0 | 1
  asked: 0 | 1
  began_ms: number | undefined
  cursor: string | undefined
  listed: 0 | 1
  pages: number
  /** JSON of `AuditState['last']`. */
  last: string | undefined
  emptied_ms: number | undefined
  /** Files whose content is ready, from the sums in `counts`. */
  ready: number
  removed: number
}

const files_in = (stage: string) =>
  `(SELECT coalesce(sum(files), 0) FROM counts JOIN folders ON folders.id = counts.folder
    WHERE folders.project = projects.id AND stage = '${stage}')`

export function createAuditRows(database: Sqlite) {
  const want = database.prepare('UPDATE audits SET wanted = 1')
  // A round that begins anew keeps the time of its first begin. Otherwise a round that never ends
  // would never count as late.
  const begin = database.prepare(
    `UPDATE audits SET round = round + 1, began_ms = min(coalesce(began_ms, @at_ms), @at_ms), asked = max(asked, wanted),
       wanted = 0, cursor = NULL, listed = 0, ${['pages', ...counters].map((name) => `${name} = 0`).join(', ')}
     WHERE project = (SELECT id FROM projects WHERE project_id = @project_id)`,
  )
  const find_sql = database.prepare(
    `SELECT project, round, began_ms IS NOT NULL AS is_running FROM audits JOIN projects ON projects.id = audits.project
       WHERE project_id = ?`,
  )
  const turn_page = database.prepare(
    `UPDATE audits SET cursor = @cursor, listed = @cursor IS NULL, pages = pages + 1 WHERE project = @project`,
  )
  const end_sql = database.prepare(
    `UPDATE audits SET last = @last, emptied_ms = @emptied_ms, began_ms = NULL, cursor = NULL, listed = 0, asked = 0,
       restored_ms = NULL WHERE project = @project`,
  )
  const select = `SELECT audits.*, project_id, ${files_in('ready')} AS ready, ${files_in('removed_on_service')} AS removed
    FROM audits JOIN projects ON projects.id = audits.project`
  const all = database.prepare(`${select} ORDER BY project`)
  const one = database.prepare(`${select} WHERE project = ?`)
  const accept = database.prepare('UPDATE audits SET emptied_ms = NULL WHERE project = ?')
  const countOf = (name: Counter) =>
    database.prepare(`UPDATE audits SET ${name} = max(0, ${name} + ?) WHERE project = ?`)
  const count_sql = Object.fromEntries(counters.map((name) => [name, countOf(name)])) as Record<
    Counter,
    Statement
  >

  function find(
    project_id: string,
  ): { project: number; round: number; is_running: 0 | 1 } | undefined {
    return readOne(find_sql, project_id)
  }

  /** The project's row if this is its running round. Facts about other rounds come too late. */
  function running(project_id: string, round: number): number | undefined {
    const row = find(project_id)
    return row?.is_running && row.round === round ? row.project : undefined
  }

  /**
   * Ends the running round. `emptied_ms` is set if so many assets were missing that a user must
   * check (`isMassRemoval`), and cleared if fewer files lack their assets now.
   */
  function end(project: number, unanswered: number, at_ms: number): void {
    const row = readOne<Row>(one, project)!
    const counts = { ...countsOf(row), unanswered }
    const last = JSON.stringify({
      began_ms: row.began_ms,
      ended_ms: at_ms,
      pages: row.pages,
      counts,
    })
    const is_mass = isMassRemoval({ removed: counts.missing, expected: expectedAssets(counts) })
    const emptied_ms = is_mass ? (row.emptied_ms ?? at_ms) : emptiedOf(row)?.since_ms
    end_sql.run({ project, last, emptied_ms })
  }

  return {
    find,
    running,
    end,
    want: () => void want.run(),
    begin: (project_id: string, at_ms: number) => void begin.run({ project_id, at_ms }),
    turnPage: (project: number, cursor: string | undefined) =>
      void turn_page.run({ project, cursor }),
    count: (project: number, counter: Counter, by: number) =>
      void count_sql[counter].run(by, project),
    usable: (project: number) => readOne<Row>(one, project)!.usable,
    /** Accepts what is gone: from now on it counts as removed on purpose. */
    acceptEmptied: (project: number) => void accept.run(project),
    states: () => readAll<Row>(all).map(stateOf),
  }
}

function stateOf(row: Row): AuditState {
  const { began_ms, cursor, pages } = row
  return {
    project_id: row.project_id,
    round: row.round,
    wanted: row.wanted === 1,
    running:
      began_ms === undefined
        ? undefined
        : {
            began_ms,
            asked: row.asked === 1,
            cursor,
            listed: row.listed === 1,
            pages,
            counts: countsOf(row),
          },
    last: row.last === undefined ? undefined : (JSON.parse(row.last) as AuditState['last']),
    expected: row.ready,
    emptied: emptiedOf(row),
  }
}

function countsOf({ usable, unready, failed, missing, unknown, slots }: Row): AuditCounts {
  return { usable, unready, failed, missing, unanswered: 0, unknown, slots }
}

/** Counts files, not contents. */
function emptiedOf({ emptied_ms, removed, ready }: Row): Emptied | undefined {
  const expected = ready + removed
  if (emptied_ms === undefined || !isMassRemoval({ removed, expected })) return undefined
  return { since_ms: emptied_ms, removed, expected }
}
