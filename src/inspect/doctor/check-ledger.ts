import { statSync } from 'node:fs'
import { translateSqliteError } from '../../base/files/sqlite.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { formatBytes, formatCount, formatDuration } from '../../base/text/format.ts'
import { ledger_migrations } from '../../ledger/file/ledger-file.ts'
import { refuseOrphan } from '../../ledger/file/ledger-place.ts'
import { isRebuildOpen, ledgerFile } from '../../ledger/file/state-directory.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { readTables, withLedgerThread } from '../verify/verify-ledger.ts'
import { type Check, type DoctorTools, type Findings, findings } from './check.ts'

/** SQLite writes the log back at 16 MB, so a log of this size means a reader that never ends. */
const large_log_bytes = 512_000_000

/** Reads tables of the ledger for the allowed time; changes nothing. */
export async function checkLedger({
  config,
  clock,
  limits,
  isUnresponsive,
}: DoctorTools): Promise<Check[]> {
  const file = ledgerFile(config.state_dir)
  const find = findings('ledger', file)
  if (isUnresponsive(config.state_dir))
    return [find.warning('not checked: its path gives no answer')]
  try {
    refuseOrphan(config.state_dir)
    openLedgerView(config.state_dir).close()
    const until_ms = clock.monotonic_ms() + limits.ledger_ms
    return await withLedgerThread(
      { file, migrations: ledger_migrations },
      async (thread, { tables }) => {
        const { damage, read } = await readTables(
          thread,
          tables,
          () => clock.monotonic_ms() <= until_ms,
        )
        if (damage !== undefined) return [damaged(find, damage)]
        const time = formatDuration(limits.ledger_ms)
        const part =
          read < tables.length
            ? `the first ${read} of ${tables.length} tables in ${time} are`
            : 'it is'
        return [
          find.ok(`${part} in order (${formatBytes(statSync(file).size)})`),
          ...checkLog(file),
        ]
      },
    )
  } catch (error) {
    // A damaged page may only show when it is read.
    return [judgeError(find, config.state_dir, translateSqliteError(error, file))]
  }
}

const restore_hint =
  'stop the daemon, then `sluice restore FILE` where there is a backup, else `sluice rebuild`: known files are linked by their md5'

function damaged({ fault }: Findings, what: string): Check {
  return fault(`it is damaged: ${what}`, restore_hint)
}

function judgeError(find: Findings, state_dir: string, error: unknown): Check {
  if (!isSluiceError(error)) throw error
  const { code, message, hint } = error
  if (code === 'ledger.none') return none(find, state_dir)
  if (code === 'account.no_right') return find.fault(`not checked: ${message}`, hint)
  return code === 'database.damaged' ? damaged(find, message) : find.fault(message, hint)
}

/** While a rebuild is unfinished and no other ledger exists, the daemon refuses to start. */
function none({ ok, warning }: Findings, state_dir: string): Check {
  if (!isRebuildOpen(state_dir)) return ok('does not exist yet: the first start makes it')
  const hint = '`sluice rebuild` goes on where it ended; start the daemon after it'
  return warning('a rebuild has not ended, and there is no ledger until it does', hint)
}

function checkLog(file: string): Check[] {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size < large_log_bytes) return []
  const hint =
    'some program has it open and reads without end (lsof); a restart of the daemon writes it back'
  return [
    findings('ledger', `${file}-wal`).warning(
      `the log beside it has grown to ${formatBytes(log.size)}`,
      hint,
    ),
  ]
}

/**
 * For folders that remove unused assets. Warns if the service refused removals, or if most assets
 * were there before this ledger uploaded them: those are never removed.
 */
export function checkRemovals({ config, ledger }: DoctorTools): Check[] {
  const folders = config.folders.filter(
    ({ on_delete, on_change }) => on_delete === 'remove' || on_change === 'remove_old',
  )
  if (folders.length === 0 || ledger === undefined) return []
  const { ok, warning } = findings('removals', folders.map(({ name }) => name).join(', '))
  const refused = ledger.removals().refusals.map(({ project_id, message }) => {
    const hint =
      'Sluice tries again once a day; on_delete: keep and on_change: keep would state this in the configuration'
    const text = `the service does not remove assets, so they are kept: ${message}`
    return findings('removals', project_id).warning(text, hint)
  })
  const { ours, others } = ledger.ownership()
  if (others > ours) {
    const text = `${formatCount(others)} of ${formatCount(ours + others)} assets were there before this ledger uploaded them (a rebuilt one made none): they are never removed`
    return [
      ...refused,
      warning(text, 'old versions of those are removed by hand, in the assistant'),
    ]
  }
  return refused.length > 0
    ? refused
    : [ok('what no file needs any more is removed on the service')]
}
