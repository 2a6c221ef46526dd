import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import { isMassRemoval } from '../../domain/audit.ts'

/** Counters of a round; the names of columns. `unknown`: ready there, and nothing of ours. `slots`: never filled, whose nobody can say. */
const counters = ['usable', 'unready', 'failed', 'missing', 'unknown', 'slots'] as const
export type Counter = (typeof counters)[number]

type Counts = Record<Counter, number> & Record<`last_${Counter}`, number | null> & { last_unanswered: number | null }

interface Row extends Counts {
  project: number
  project_id: string
  round: number
  wanted: 0 | 1
  asked: 0 | 1
  began_ms: number | null
  cursor: string | null
  listed: 0 | 1
  pages: number
  last_began_ms: number | null
  last_ended_ms: number | null
  last_pages: number
  expected: number
  removed: number
  emptied_ms: number | null
}

/** So much is gone in a project that a person must look: since when, and how much of it still is. */
export interface Emptied {
  since_ms: number
  removed: number
  expected: number
}

/** The rows of `audits`, one a project. */
export function createAuditRows(database: Sqlite) {
  const zeros = ['pages', ...counters].map((name) => `${name} = 0`).join(', ')
  const want_sql = database.prepare(
    `INSERT INTO audits (project, wanted) SELECT id, 1 FROM projects WHERE true ON CONFLICT (project) DO UPDATE SET wanted = 1`,
  )
  // One that is begun anew has begun when it first did: else what is begun again and again, and never ends, would never be late.
  const begin_sql = database.prepare(
    `INSERT INTO audits (project, round, began_ms)
       SELECT id, 1, @at_ms FROM projects WHERE project_id = @project_id
       ON CONFLICT (project) DO UPDATE SET round = round + 1, began_ms = min(coalesce(began_ms, @at_ms), @at_ms),
         asked = max(asked, wanted), wanted = 0, cursor = NULL, listed = 0, ${zeros}`,
  )
  const find_sql = database.prepare(
    `SELECT project, round, began_ms IS NOT NULL AS is_running FROM audits JOIN projects ON projects.id = audits.project
       WHERE project_id = ?`,
  )
  const turn_page = database.prepare(
    `UPDATE audits SET cursor = @cursor, listed = @cursor IS NULL, pages = pages + 1 WHERE project = @project`,
  )
  const kept = ['pages', ...counters].map((name) => `last_${name} = ${name}`).join(', ')
  const end_sql = database.prepare(
    `UPDATE audits SET last_began_ms = began_ms, last_ended_ms = @at_ms, last_unanswered = @unanswered, ${kept},
       began_ms = NULL, cursor = NULL, listed = 0, asked = 0 WHERE project = @project`,
  )
  const usable_sql = database.prepare('SELECT usable FROM audits WHERE project = ?').pluck()
  const counted = [...counters.flatMap((name) => [name, `last_${name}`]), 'last_unanswered'].join(', ')
  // By files, not contents: a sum that is kept. It only sets the pace.
  const states_sql = database.prepare(
    `SELECT projects.id AS project, projects.project_id, coalesce(round, 0) AS round, coalesce(wanted, 0) AS wanted, coalesce(asked, 0) AS asked,
         began_ms, cursor, coalesce(listed, 0) AS listed, coalesce(pages, 0) AS pages, last_began_ms, last_ended_ms,
         coalesce(last_pages, 0) AS last_pages, ${counted},
         (SELECT coalesce(sum(files), 0) FROM counts JOIN folders ON folders.id = counts.folder
          WHERE folders.project = projects.id AND stage = 'ready') AS expected,
         (SELECT coalesce(sum(files), 0) FROM counts JOIN folders ON folders.id = counts.folder
          WHERE folders.project = projects.id AND stage = 'removed_on_service') AS removed, emptied_ms
       FROM projects LEFT JOIN audits ON audits.project = projects.id ORDER BY projects.id`,
  )
  const put_emptied = database.prepare('UPDATE audits SET emptied_ms = ? WHERE project = ?')
  const countOf = (name: Counter) =>
    database.prepare(`UPDATE audits SET ${name} = max(0, ${name} + ?) WHERE project = ?`)
  const count_sql: Record<Counter, Statement> = Object.fromEntries(
    counters.map((name) => [name, countOf(name)]),
  ) as Record<Counter, Statement>

  function want(): void {
    want_sql.run()
  }

  function begin(project_id: string, at_ms: number): void {
    begin_sql.run({ project_id, at_ms })
  }

  function find(project_id: string): { project: number; round: number } | undefined {
    return find_sql.get(project_id) as never
  }

  /** The project, if this is its running round; a fact of another one comes too late to say anything. */
  function running(project_id: string, round: number): number | undefined {
    const row = find_sql.get(project_id) as { project: number; round: number; is_running: 0 | 1 } | undefined
    return row?.is_running && row.round === round ? row.project : undefined
  }

  function turnPage(project: number, cursor: string | undefined): void {
    turn_page.run({ project, cursor: cursor ?? null })
  }

  function count(project: number, counter: Counter, by: number): void {
    count_sql[counter].run(by, project)
  }

  function usable(project: number): number {
    return usable_sql.get(project) as number
  }

  function end(project: number, unanswered: number, at_ms: number): void {
    end_sql.run({ project, unanswered, at_ms })
  }

  /** After the end of a round: noted when so much was missing in it, forgotten when it is there again. */
  function judgeEmptied(project: number, at_ms: number): void {
    const row = rows().find((other) => other.project === project)
    const last = row && lastOf(row)
    if (!last) return
    const { missing: removed } = last.counts
    const is_mass = isMassRemoval({ removed, expected: expectedAssets(last.counts) })
    if (is_mass) put_emptied.run(row.emptied_ms ?? at_ms, project)
    else if (row.emptied_ms !== null && emptiedOf(row) === undefined) acceptEmptied(project)
  }

  /** What is gone counts as rightly gone from now on. */
  function acceptEmptied(project: number): void {
    put_emptied.run(null, project)
  }

  /** By project id; none where nothing looks so, or a person said that it is right. */
  function emptied(): Map<string, Emptied> {
    return new Map(
      rows().flatMap((row) => {
        const emptied = emptiedOf(row)
        return emptied ? [[row.project_id, emptied]] : []
      }),
    )
  }

  function states(): AuditState[] {
    return rows().map((row) => ({
      project_id: row.project_id,
      round: row.round,
      wanted: row.wanted === 1,
      running: runningOf(row),
      last: lastOf(row),
      expected: row.expected,
    }))
  }

  function rows(): Row[] {
    return states_sql.all() as Row[]
  }

  return { want, begin, find, running, turnPage, count, usable, end, judgeEmptied, acceptEmptied, emptied, states }
}

export type AuditRows = ReturnType<typeof createAuditRows>

/** By files, not contents. */
function emptiedOf({ emptied_ms, removed, expected: ready }: Row): Emptied | undefined {
  const expected = ready + removed
  if (emptied_ms === null || !isMassRemoval({ removed, expected })) return undefined
  return { since_ms: emptied_ms, removed, expected }
}

function runningOf(row: Row): AuditState['running'] {
  const { began_ms, cursor, pages, unknown, slots, usable, unready, failed, missing } = row
  if (began_ms === null) return undefined
  const counts = { usable, unready, failed, missing, unanswered: 0, unknown, slots }
  return { began_ms, asked: row.asked === 1, cursor: cursor ?? undefined, listed: row.listed === 1, pages, counts }
}

function lastOf(row: Row): AuditState['last'] {
  const { last_began_ms: began_ms, last_ended_ms: ended_ms, last_pages: pages } = row
  if (began_ms === null || ended_ms === null) return undefined
  const counts: AuditCounts = {
    usable: row.last_usable ?? 0,
    unready: row.last_unready ?? 0,
    failed: row.last_failed ?? 0,
    missing: row.last_missing ?? 0,
    unanswered: row.last_unanswered ?? 0,
    unknown: row.last_unknown ?? 0,
    slots: row.last_slots ?? 0,
  }
  return { began_ms, ended_ms, pages, counts }
}

/** What the ledger answers to the auditor; a part of Ledger. */
export interface AuditLedger {
  /** Where the audit of each project stands. */
  audits(): Promise<AuditState[]>
  /**
   * Contents that were ready before the running round began and were not seen to be ready on the service in it. A page may hold
   * fewer than `limit`, or none, and still have a next: only so many rows are read at a time.
   */
  unaudited(query: UnauditedQuery): Promise<UnauditedPage>
}

export interface AuditState {
  project_id: string
  /** Number of the running round, else of the last. */
  round: number
  /** A person wants a round now. */
  wanted: boolean
  running:
    | {
        began_ms: number
        /** A person waits for it. */
        asked: boolean
        /** Where the next page begins; undefined at the beginning of the list. */
        cursor: string | undefined
        /** The list was read to its end: what was not seen is asked for singly. */
        listed: boolean
        pages: number
        counts: AuditCounts
      }
    | undefined
  /** The last full round. */
  last: { began_ms: number; ended_ms: number; pages: number; counts: AuditCounts } | undefined
  /** About so many assets should be there. */
  expected: number
}

export interface AuditCounts {
  /** Ready here and there. */
  usable: number
  /** Ready here, and being read again there. */
  unready: number
  /** Ready here, and the service cannot use it. */
  failed: number
  /** Ready here, gone there. */
  missing: number
  /** Ready here, and the service would not say; known at the end of a round. */
  unanswered: number
  /** Ready there, unknown here: of other people. */
  unknown: number
  /** Unknown here, and never filled there: what a crash between two calls leaves, ours or somebody's. Gone when they expire. */
  slots: number
}

/** What should have been there. */
export function expectedAssets({ usable, unready, failed, missing, unanswered }: AuditCounts): number {
  return usable + unready + failed + missing + unanswered
}

export interface UnauditedQuery {
  project_id: string
  /** Go on after this content; 0 begins. */
  after: number
  limit: number
}

export interface UnauditedPage {
  assets: UnauditedAsset[]
  next?: number
}

export interface UnauditedAsset {
  content: number
  asset_id: string
  size: number
  /** For people: folder and path of one of its files. */
  name: string
}
