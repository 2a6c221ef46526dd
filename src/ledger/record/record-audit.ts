import { readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { type AuditFact, isMassRemoval, type ListedAsset } from '../../domain/audit.ts'
import type { ContentFact } from '../../domain/fact.ts'
import type { UnauditedAsset, UnauditedPage, UnauditedQuery } from '../audit-work.ts'
import { createAuditRows } from '../rows/audit-rows.ts'
import { in_need } from '../rows/content-rows.ts'
import { best_copy_first, fileRow, type RawFile } from '../rows/file-rows.ts'
import type { NameRows } from '../rows/name-rows.ts'
import type { ContentRecorder } from './record-content.ts'
import type { FileRecorder } from './record-file.ts'

/** Rows of contents that one call may read: a few milliseconds of the ledger's time. */
const rows_at_once = 20_000
/** Rows in memory at a time: thousands of files may have the same bytes. */
const copies_at_once = 5_000

/** Applies facts of the audit: which contents a round saw, and how many of each kind. */
export function createAuditRecorder(
  database: Sqlite,
  parts: { contents: ContentRecorder; files: FileRecorder; names: NameRows },
) {
  const { contents, files, names } = parts
  const rows = createAuditRows(database)
  const by_asset = database.prepare(
    'SELECT id, state FROM contents WHERE asset_id = ? AND project = ?',
  )
  const mark = database.prepare('UPDATE contents SET audited_round = ? WHERE id = ?')
  const marked = database.prepare(
    `SELECT audits.project, audited_round, round, began_ms IS NOT NULL AS is_running, restored_ms IS NOT NULL AS is_restored
       FROM contents JOIN audits ON audits.project = contents.project WHERE contents.id = ?`,
  )
  const copies_sql = database
    .prepare(`SELECT * FROM files WHERE content = ? AND state = 'present' LIMIT ${copies_at_once}`)
    .safeIntegers(true)
  const unaudited_sql = database.prepare(
    `SELECT id AS content, asset_id, size, coalesce(
           (SELECT folders.name || '/' || path FROM files JOIN folders ON folders.id = files.folder
            WHERE files.content = contents.id ORDER BY ${best_copy_first} LIMIT 1), 'content ' || id) AS name
       FROM contents
       WHERE id > @after AND id <= @through AND project = @project AND state = 'ready' AND asset_id IS NOT NULL
         AND coalesce(audited_round, 0) <> @round
       ORDER BY id LIMIT @limit`,
  )
  const removed_sql = database
    .prepare(
      `SELECT id FROM contents WHERE ${in_need} AND +state = 'removed_on_service'
         AND project = ? AND EXISTS (SELECT 1 FROM files WHERE content = contents.id AND files.state = 'present')`,
    )
    .pluck()

  function apply(fact: AuditFact, at_ms: number): void {
    switch (fact.type) {
      case 'audit_wanted':
        rows.want()
        break
      case 'audit_round_began':
        rows.begin(fact.project_id, at_ms)
        break
      case 'assets_listed': {
        const project = rows.running(fact.project_id, fact.round)
        if (project === undefined) break
        rows.turnPage(project, fact.cursor)
        for (const item of fact.items) see(project, item, at_ms)
        break
      }
      case 'asset_confirmed':
        count('asset_ready', fact.content)
        contents.readings.set(fact.content, fact.reading, at_ms)
        break
      case 'audit_round_ended': {
        const project = rows.running(fact.project_id, fact.round)
        if (project === undefined) break
        if (fact.resend) resend(project, at_ms)
        rows.end(project, fact.unanswered, at_ms)
        break
      }
    }
  }

  /** Call this after a fact about a content was applied. */
  function follow(type: ContentFact['type'], content: number, at_ms: number): void {
    count(type, content)
    if (type === 'asset_missing' && readOne<Marked>(marked, content)?.is_restored)
      wantRestored(content, at_ms)
  }

  /**
   * An asset is missing, and the ledger came back from a backup since the last audit. Sluice itself
   * may have removed the asset after the backup, and the service may have the bytes as another
   * asset. So this is not reported. The files are checked as if they were new, and count for the
   * upload limit.
   */
  function wantRestored(content: number, at_ms: number): void {
    for (;;) {
      const copies = copies_sql.all(content) as RawFile[]
      for (const copy of copies) files.checkAgain(fileRow(copy), {}, at_ms)
      if (copies.length < copies_at_once) break
    }
    contents.apply({ type: 'content_wanted_again', content, not_before_ms: at_ms }, at_ms)
    contents.apply({ type: 'content_orphaned', content }, at_ms)
  }

  /** Counts a content as checked in this round, by the result of the check. */
  function count(type: ContentFact['type'], content: number): void {
    const bucket = bucket_of[type]
    if (bucket === undefined) return
    const row = readOne<Marked>(marked, content)
    // Before the first round no content is marked.
    if (row === undefined || row.round === 0) return
    const { project, audited_round, round, is_running } = row
    const was_usable = audited_round === round
    if (bucket === 'usable' && was_usable) return
    mark.run(bucket === 'usable' ? round : bucket === 'unready' ? -round : undefined, content)
    if (!is_running) return
    rows.count(project, bucket, 1)
    if (was_usable) rows.count(project, 'usable', -1)
    if (bucket === 'usable' && audited_round === -round) rows.count(project, 'unready', -1)
  }

  function unaudited({ project_id, after, limit }: UnauditedQuery): UnauditedPage {
    const found = rows.find(project_id)
    if (found === undefined) return { assets: [] }
    const through = after + rows_at_once
    const query = { project: found.project, round: found.round, after, through, limit }
    const assets = unaudited_sql.all(query) as UnauditedAsset[]
    if (assets.length === limit) return { assets, next: assets.at(-1)!.content }
    return through < contents.rows.newest() ? { assets, next: through } : { assets }
  }

  function see(
    project: number,
    { asset_id, status, name, reading }: ListedAsset,
    at_ms: number,
  ): void {
    const known = by_asset.all(asset_id, project) as { id: number; state: string }[]
    for (const { id } of known) names.learn(id, name, at_ms)
    if (known.length === 0) {
      if (status !== 'other') rows.count(project, status === 'ready' ? 'unknown' : 'slots', 1)
      return
    }
    // For any other status the auditor asks for this asset alone, and that answer decides.
    if (status !== 'ready') return
    for (const { id, state } of known) {
      contents.readings.learn(id, reading, at_ms)
      if (state === 'ready') count('asset_ready', id)
      else if (contents.apply({ type: 'asset_returned', content: id }, at_ms))
        count('asset_returned', id)
    }
  }

  function resend(project: number, at_ms: number): void {
    const removed = removed_sql.all(project) as number[]
    const expected = rows.usable(project) + removed.length
    if (!isMassRemoval({ removed: removed.length, expected })) contents.retry(removed, at_ms)
  }

  return { apply, follow, accept: rows.acceptEmptied, states: rows.states, unaudited }
}

interface Marked {
  project: number
  audited_round: number | undefined
  round: number
  is_running: 0 | 1
  is_restored: 0 | 1
}

type Bucket = 'usable' | 'unready' | 'failed' | 'missing'

const bucket_of: Partial<Record<ContentFact['type'], Bucket>> = {
  asset_ready: 'usable',
  asset_returned: 'usable',
  asset_unready: 'unready',
  asset_failed: 'failed',
  asset_missing: 'missing',
}
