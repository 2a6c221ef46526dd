import { isSluiceError } from '../../base/run/errors.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { formatCount } from '../../base/text/format.ts'
import { ledger_migrations } from '../../ledger/file/ledger-file.ts'
import { ledgerFile, ticketsFile } from '../../ledger/file/state-directory.ts'
import { ticket_migrations } from '../../ledger/file/tickets.ts'
import type { BrokenRule } from './ledger-rules.ts'
import type { LedgerTables, LedgerThreadData } from './ledger-thread.ts'
import type { VerifyTools } from './verify-answer.ts'

type LedgerCheckTools = Pick<VerifyTools, 'signal' | 'onDifference'>

/**
 * Checks the files of the ledger in a thread: SQLite must read all of them, and their rows must fit
 * each other. Returns true if the ledger is readable; without it nothing can be compared.
 */
export async function checkLedgerFiles(
  state_dir: string,
  tools: LedgerCheckTools,
): Promise<boolean> {
  await checkTickets(ticketsFile(state_dir), tools)
  const file = ledgerFile(state_dir)
  const damage = await damageOf(
    { file, migrations: ledger_migrations },
    tools,
    async (thread, steps) => {
      for (let step = 0; step < steps && !tools.signal.aborted; step++) {
        for (const rule of await thread.call<BrokenRule[]>('broken', step)) {
          tools.onDifference({ kind: 'ledger_inconsistent', message: textOf(rule) })
        }
      }
    },
  )
  if (damage !== undefined)
    tools.onDifference({ kind: 'ledger_damaged', message: `${file}: ${damage}` })
  return damage === undefined
}

/** After a restore there are no tickets, and another user may not read them. Neither is a fault. */
async function checkTickets(file: string, tools: LedgerCheckTools): Promise<void> {
  try {
    const damage = await damageOf({ file, migrations: ticket_migrations }, tools)
    if (damage !== undefined)
      tools.onDifference({ kind: 'tickets_damaged', message: `${file}: ${damage}` })
  } catch (error) {
    if (!isSluiceError(error, 'database.missing') && !isSluiceError(error, 'database.unreadable'))
      throw error
  }
}

/** Returns the damage that SQLite finds in a file. `more` reads further parts of a sound file. */
async function damageOf(
  data: LedgerThreadData,
  { signal }: LedgerCheckTools,
  more?: (thread: Thread, steps: number) => Promise<void>,
): Promise<string | undefined> {
  try {
    return await withLedgerThread(data, async (thread, { tables, steps }) => {
      const { damage } = await readTables(thread, tables, () => !signal.aborted)
      if (damage === undefined) await more?.(thread, steps)
      return damage
    })
  } catch (error) {
    if (!isSluiceError(error, 'database.damaged')) throw error
    return error.message.replace(`${data.file}: `, '')
  }
}

/** Runs `use` with a thread that reads the file. */
export async function withLedgerThread<Answer>(
  data: LedgerThreadData,
  use: (thread: Thread, tables: LedgerTables) => Promise<Answer>,
): Promise<Answer> {
  const thread = startThread('inspect/verify/ledger-thread', data)
  try {
    const answer = await use(thread, await thread.call<LedgerTables>('tables', undefined))
    await thread.call('close', undefined)
    return answer
  } finally {
    void thread.terminate()
  }
}

/**
 * Reads tables while `goesOn`, up to the first damage. Returns that and the number of read tables.
 */
export async function readTables(thread: Thread, tables: readonly string[], goesOn: () => boolean) {
  let read = 0
  for (const table of tables) {
    if (!goesOn()) break
    const [damage] = await thread.call<string[]>('check', table)
    read += 1
    if (damage !== undefined) return { damage, read }
  }
  return { damage: undefined, read }
}

function textOf({ what, rows, example }: BrokenRule): string {
  return rows === 1
    ? `${what} (${example})`
    : `${what} (${formatCount(rows)} times, one of them: ${example})`
}
