import { isSluiceError } from '../base/errors.ts'
import { formatCount } from '../base/format.ts'
import { startThread, type Thread } from '../base/thread.ts'
import { ledger_migrations, ticket_migrations } from '../ledger/ledger-file.ts'
import type { BrokenRule } from '../ledger/ledger-rules.ts'
import { ledgerFile, ticketsFile } from '../ledger/state-directory.ts'
import type { LedgerTables, LedgerThreadData } from './ledger-thread.ts'
import type { Difference } from './verify-answer.ts'

/** Where the check of a state directory writes what it found, and when it is to stop. */
export interface LedgerCheckTools {
  signal: AbortSignal
  onDifference: (difference: Difference) => void
}

/**
 * Checks the files in which Sluice keeps what it knows, in a thread: that SQLite can read all of
 * them, and that the rows of the ledger fit each other. Answers whether the ledger can be read:
 * else nothing can be compared with it.
 */
export async function checkLedgerFiles(state_dir: string, tools: LedgerCheckTools): Promise<boolean> {
  await checkTickets(ticketsFile(state_dir), tools)
  const file = ledgerFile(state_dir)
  const damage = await withThread({ file, migrations: ledger_migrations }, async (thread) => {
    const { tables, steps } = await thread.call<LedgerTables>('tables', undefined)
    const line = await firstDamage(thread, tables, tools.signal)
    if (line === undefined) await checkRules(thread, steps, tools)
    return line
  })
  if (damage !== undefined) tools.onDifference({ kind: 'ledger_damaged', message: `${file}: ${damage}` })
  return damage === undefined
}

/**
 * There are none after a restore, and another user may be unable to read them: neither is a fault
 * of the file.
 */
async function checkTickets(file: string, { signal, onDifference }: LedgerCheckTools): Promise<void> {
  try {
    const damage = await withThread({ file, migrations: ticket_migrations }, async (thread) => {
      const { tables } = await thread.call<LedgerTables>('tables', undefined)
      return firstDamage(thread, tables, signal)
    })
    if (damage !== undefined) onDifference({ kind: 'tickets_damaged', message: `${file}: ${damage}` })
  } catch (error) {
    if (!isSluiceError(error, 'database.missing') && !isSluiceError(error, 'database.unreadable')) throw error
  }
}

/**
 * Runs `use` with a thread that reads a file. Answers what it does, or the words of SQLite for a
 * damage that shows meanwhile.
 */
async function withThread(
  data: LedgerThreadData,
  use: (thread: Thread) => Promise<string | undefined>,
): Promise<string | undefined> {
  const thread = startThread('inspect/ledger-thread', data)
  try {
    const damage = await use(thread)
    await thread.call('close', undefined)
    return damage
  } catch (error) {
    if (!isSluiceError(error, 'database.damaged')) throw error
    return error.message.replace(`${data.file}: `, '')
  } finally {
    void thread.terminate()
  }
}

async function firstDamage(
  thread: Thread,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const table of tables) {
    const [line] = signal.aborted ? [] : await thread.call<string[]>('check', table)
    if (line !== undefined) return line
  }
  return undefined
}

async function checkRules(thread: Thread, steps: number, { signal, onDifference }: LedgerCheckTools): Promise<void> {
  for (let step = 0; step < steps && !signal.aborted; step++) {
    for (const rule of await thread.call<BrokenRule[]>('broken', step)) {
      onDifference({ kind: 'ledger_inconsistent', message: textOf(rule) })
    }
  }
}

function textOf({ what, rows, example }: BrokenRule): string {
  return rows === 1 ? `${what} (${example})` : `${what} (${formatCount(rows)} times, one of them: ${example})`
}
