import { slowestTransfer_ms } from '../base/net/http-client-answer.ts'
import { hour_ms, second_ms } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { LedgerLimits } from '../ledger/ledger.ts'
import type { AuditSettings } from '../sync/audit/auditor.ts'

/** Rows of history. On a busy share, `history_days` alone would set no real limit. */
const max_history_rows = 1_000_000

/** Converts the limits of the config into those of the ledger. */
export function ledgerLimits({ uploads, ledger, removal, scan }: Config): LedgerLimits {
  const { limit } = uploads
  return {
    upload_limit:
      limit === 'off'
        ? undefined
        : { files: limit.files, bytes: limit.bytes, per_ms: uploads.limit_hours * hour_ms },
    max_bytes_per_day: uploads.max_bytes_per_day === 'off' ? undefined : uploads.max_bytes_per_day,
    // 1.001 s would be 1000.9999999999999 ms, and the ledger takes whole ones.
    min_resend_ms: Math.round(uploads.min_resend_s * second_ms),
    newest_first: uploads.order === 'newest',
    history_days: ledger.history_days,
    max_history_rows,
    removal: {
      files: removal.max_files,
      percent: removal.max_percent,
      per_ms: removal.per_hours * hour_ms,
      wiped: { files: scan.empty_folder_files, percent: scan.missing_percent },
    },
  }
}

/**
 * Silence after which work counts as stuck; longer than any normal silence. A body in memory gets
 * extra time for its answer, at the slowest line that Sluice supports.
 */
export function stuckAfter_ms({ watchdog, uploads }: Pick<Config, 'watchdog' | 'uploads'>): number {
  const transfer_ms = slowestTransfer_ms(uploads.small_file_bytes)
  return Math.max(
    watchdog.silence_ms,
    2 * Math.max(uploads.request_timeout_ms + transfer_ms, uploads.stall_timeout_ms),
  )
}

/** Only projects of folders receive files; those used for questions alone need no audit. */
export function auditSettings({ audit, folders }: Config): AuditSettings {
  return { ...audit, projects: [...new Set(folders.map(({ project_id }) => project_id))] }
}
