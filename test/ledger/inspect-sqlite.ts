import { join } from 'node:path'
import { openSqliteReadOnly } from '../../src/base/files/sqlite.ts'
import type { ContentFound, FileFound, Inspector } from './fixture.ts'

/** Reads the tables beside the writing thread. */
export function inspectSqlite(state_dir: string): Inspector {
  const database = openSqliteReadOnly(join(state_dir, 'ledger.db'), 'any format')
  const tickets = openSqliteReadOnly(join(state_dir, 'tickets.db'), 'any format')
  const all = <Row>(sql: string, ...values: unknown[]) =>
    database.prepare(sql).all(...values) as Row[]
  const of_folder = '(SELECT id FROM folders WHERE name = ?)'
  const summed = (sql: string, folder: string) =>
    Object.fromEntries(
      all<{ stage: string; files: number; bytes: number }>(sql, folder)
        .filter(({ files }) => files !== 0)
        .map(({ stage, files, bytes }) => [stage, { files, bytes }]),
    )
  return {
    file: (folder, path) =>
      all<FileFound>(
        `SELECT state, reason, size, content, not_before_ms, seen_ms, settled_ms, ready_ms, gone_ms FROM files
         WHERE folder = ${of_folder} AND path = ?`,
        folder,
        path,
      )[0],
    content: (md5, project_id) =>
      all<ContentFound>(
        `SELECT id, state, asset_id, attempts, not_before_ms, error_code FROM contents WHERE md5 = ?
         AND project IN (SELECT id FROM projects WHERE project_id = coalesce(?, project_id))`,
        Buffer.from(md5, 'hex'),
        project_id ?? null,
      )[0],
    counts: (folder) =>
      summed(
        `SELECT stage, files, bytes FROM counts WHERE folder = ${of_folder} AND files + bytes <> 0`,
        folder,
      ),
    recounted: (folder) =>
      summed(
        `SELECT iif(files.state = 'present', contents.state, files.state) AS stage, count(*) AS files, sum(files.size) AS bytes
         FROM files LEFT JOIN contents ON contents.id = files.content WHERE folder = ${of_folder} GROUP BY 1`,
        folder,
      ),
    evidence: (folder) =>
      all<{ reason: string | null; state: string; content: number | null; gone_ms: number | null }>(
        `SELECT reason, state, content, gone_ms FROM files WHERE folder = ${of_folder} AND state <> 'gone'`,
        folder,
      ).filter(({ reason, state, content, gone_ms }) => {
        if (reason === 'before_start') return true
        return state !== 'skipped' && content !== null && gone_ms === null
      }).length,
    skipped: (folder) =>
      all(
        `SELECT path FROM files WHERE folder = ${of_folder} AND state = 'skipped' AND reason IS NOT 'before_start'`,
        folder,
      ).length,
    inState: (state) =>
      all<{ id: number }>('SELECT id FROM contents WHERE state = ?', state).map(({ id }) => id),
    stateOf: (content) =>
      all<{ state: string }>('SELECT state FROM contents WHERE id = ?', content)[0]?.state,
    typesOf: (content) => [
      ...new Set(
        all<{ path: string }>(
          `SELECT path FROM files WHERE content = ? AND state = 'present'`,
          content,
        ).map(({ path }) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''),
      ),
    ],
    inOtherQueues: () =>
      all<{ id: number }>(
        `SELECT id FROM contents WHERE queue IS NOT
           CASE WHEN state = 'ingesting' THEN 'follow' WHEN state IN ('wanted', 'reserving', 'reserved', 'sent') THEN 'send' END`,
      ).map(({ id }) => id),
    arrivals: (folder) =>
      all<{ md5: Buffer }>(
        `SELECT md5 FROM arrivals JOIN contents ON contents.id = content WHERE folder = ${of_folder} ORDER BY seq`,
        folder,
      ).map(({ md5 }) => md5.toString('hex')),
    sequence: () =>
      all<{ seq: number }>('SELECT seq FROM arrivals ORDER BY seq').map(({ seq }) => seq),
    emptied: (project_id) =>
      all(
        'SELECT 1 FROM audits JOIN projects ON projects.id = project WHERE emptied_ms IS NOT NULL AND project_id = ?',
        project_id,
      ).length > 0,
    attached: (content) =>
      all<{ name: string }>(
        'SELECT name FROM asset_labels WHERE content = ? ORDER BY name',
        content,
      ).map(({ name }) => name),
    history: (content) =>
      all<{ event: string }>(
        'SELECT event FROM history WHERE content = ? ORDER BY id',
        content,
      ).map(({ event }) => event),
    troubles: () => all('SELECT about, code, hint, since_ms, last_ms FROM troubles ORDER BY about'),
    runs: () => all('SELECT id, state, why, error_code FROM runs ORDER BY id'),
    ticketsKept: () => tickets.prepare('SELECT count(*) FROM tickets').pluck().get() as number,
    close() {
      database.close()
      tickets.close()
    },
  }
}
