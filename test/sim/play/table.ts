import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { Cells } from '../day/cells.ts'
import { real } from '../world/real.ts'
import { world } from '../world/world.ts'
import type { Play } from './play.ts'

/**
 * Counts which faults were in force while contents and runs were in which state, over all days of a
 * run.
 */
export class Table {
  readonly cells = new Cells()

  note(play: Play, faults: readonly string[]): void {
    if (faults.length === 0) return
    const now = statesNow(play)
    for (const fault of faults) for (const state of now) this.cells.add(fault, state)
  }
}

/** One reader for each ledger, closed with the day. */
let reader: { file: string; states: () => string[]; close: () => void } | undefined

function statesNow({ state_dir }: Play): string[] {
  const file = join(state_dir, 'ledger.db')
  if (reader?.file !== file) {
    closeTable()
    if (!real.existsSync(file)) return []
    const database = world.asSim(() => new (sqliteDriver())(file, { readonly: true }))
    const statement = database
      .prepare(
        `SELECT DISTINCT 'content ' || state FROM contents UNION SELECT DISTINCT 'run ' || state FROM runs`,
      )
      .pluck()
    reader = { file, states: () => statement.all() as string[], close: () => database.close() }
  }
  return reader.states()
}

export function closeTable(): void {
  reader?.close()
  reader = undefined
}

/**
 * The final state of a day in plain SQL: the same day played twice has the same. Without times and
 * order, and without values that the kernel chooses (inodes).
 */
export function endState(state_dir: string): string[] {
  const file = join(state_dir, 'ledger.db')
  if (!real.existsSync(file)) return []
  const database = new (sqliteDriver())(file, { readonly: true })
  const lines = (sql: string) =>
    database
      .prepare(sql)
      .raw()
      .all()
      .map((row) => (row as unknown[]).join(' '))
  try {
    return [
      ...lines(`SELECT 'file', folders.name, path, files.state, lower(hex(md5)), contents.state,
        EXISTS (SELECT 1 FROM covered WHERE covered.md5 = contents.md5 AND covered.size = contents.size)
        FROM files JOIN folders ON folders.id = files.folder LEFT JOIN contents ON contents.id = files.content`),
      ...lines(
        `SELECT 'covered', prompts.name, lower(hex(md5)), what FROM covered JOIN prompts ON prompts.id = covered.prompt`,
      ),
      ...lines(
        `SELECT 'run', prompts.name, runs.state, cause FROM runs JOIN prompts ON prompts.id = runs.prompt`,
      ),
    ].sort()
  } finally {
    database.close()
  }
}

export function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12)
}
