import { openSqliteReadOnly, type Sqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'

export interface FileView {
  /** The folder's name and the path in it. */
  name: string
  /** The content's state if the file is present, else its own with the reason: `skipped empty`. */
  stage: string
  size: number
  detail: string | null
  md5: string | null
  asset_id: string | null
  made_here: number | null
  attempts: number | null
  failing_since_ms: number | null
  not_before_ms: number | null
  error_code: string | null
  error_message: string | null
  ready_ms: number | null
  settled_ms: number | null
}

export interface TroubleView {
  about: string
  code: string
  message: string
}

export interface FolderView {
  name: string
  offline_reason: string | null
  first_scan_ms: number | null
  /** Start of the last complete scan. */
  scan_began_ms: number | null
  scan_ended_ms: number | null
  scan_summary: string | null
}

/**
 * Reads the ledger's file beside the daemon that writes it. Journeys trust only this and the
 * service.
 */
export class LedgerView {
  readonly #database: Sqlite
  /** Statements are prepared once: a waiting journey reads a hundred times a second. */
  readonly #statements = new Map<string, { all(): unknown[] }>()

  constructor(state_dir: string) {
    this.#database = openSqliteReadOnly(ledgerFile(state_dir), ledger_migrations)
  }

  files(): FileView[] {
    return this.#all<FileView>(
      `SELECT folders.name || '/' || path AS name,
         CASE WHEN files.state = 'present' THEN contents.state
           ELSE trim(files.state || ' ' || coalesce(reason, '')) END AS stage,
         files.size, detail, lower(hex(contents.md5)) AS md5, contents.asset_id, contents.made_here, contents.attempts,
         contents.failing_since_ms, contents.not_before_ms,
         contents.error_code, contents.error_message, files.ready_ms, files.settled_ms
       FROM files JOIN folders ON folders.id = files.folder LEFT JOIN contents ON contents.id = files.content
       ORDER BY name`,
    )
  }

  folders(): FolderView[] {
    return this.#all<FolderView>(
      'SELECT name, offline_reason, first_scan_ms, scan_began_ms, scan_ended_ms, scan_summary FROM folders WHERE configured = 1',
    )
  }

  troubles(): TroubleView[] {
    return this.#all<TroubleView>('SELECT about, code, message FROM troubles ORDER BY about')
  }

  contents(): { state: string; asset_id: string | null }[] {
    return this.#all('SELECT state, asset_id FROM contents ORDER BY id')
  }

  close(): void {
    this.#database.close()
  }

  #all<Row>(sql: string): Row[] {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement.all() as Row[]
  }
}
