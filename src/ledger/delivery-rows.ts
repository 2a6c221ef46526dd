import type { Sqlite } from '../base/sqlite.ts'
import type { RunFact } from '../domain/run.ts'

type DeliveryFact = Extract<RunFact, { type: 'delivered' | 'delivery_set_back' | 'delivery_failed' }>

/**
 * Rows of `deliveries`: `wanted` until it is `done`, or `failed` when it was given up and a person must look. A fact about a
 * delivery that is not wanted (any more) changes nothing.
 */
export function createDeliveryRows(database: Sqlite) {
  const want_sql = database.prepare(
    `INSERT OR IGNORE INTO deliveries (run, target, state, not_before_ms, wanted_ms, own_id)
       VALUES (@run, @target, 'wanted', @at_ms, @at_ms, 1)`,
  )
  const want_again = database.prepare(
    `INSERT INTO deliveries (run, target, state, not_before_ms, wanted_ms, own_id)
       VALUES (@run, @target, 'wanted', @at_ms, @at_ms, 1)
       ON CONFLICT (run, target) DO UPDATE SET state = 'wanted', attempts = 0, not_before_ms = @at_ms, wanted_ms = @at_ms,
         done_ms = NULL, error_code = NULL, error_message = NULL WHERE state <> 'done'`,
  )
  const update = (change: string) =>
    database.prepare(`UPDATE deliveries SET ${change} WHERE run = @run AND target = @target AND state = 'wanted'`)
  const fault = 'error_code = @code, error_message = @message, output = @output'
  const done = update(`state = 'done', done_ms = @at_ms, error_code = NULL, error_message = NULL, output = @output`)
  const set_back = update(`attempts = attempts + 1, not_before_ms = @not_before_ms, ${fault}`)
  const fail = update(`state = 'failed', done_ms = @at_ms, ${fault}`)
  const delete_sql = database.prepare('DELETE FROM deliveries WHERE run = ?')

  function want(run: number, targets: readonly string[], at_ms: number): void {
    for (const target of targets) want_sql.run({ run, target, at_ms })
  }

  /** As if it were wanted for the first time; its id stays what it was. */
  function wantAgain(run: number, targets: readonly string[], at_ms: number): void {
    for (const target of targets) want_again.run({ run, target, at_ms })
  }

  function apply(fact: DeliveryFact, at_ms: number): void {
    const { run, target } = fact
    const known = { run, target, output: fact.output ?? null }
    if (fact.type === 'delivered') done.run({ ...known, at_ms })
    else {
      const { code, message } = fact.error
      if (fact.type === 'delivery_failed') fail.run({ ...known, at_ms, code, message })
      else set_back.run({ ...known, not_before_ms: fact.not_before_ms, code, message })
    }
  }

  function deleteOf(run: number): void {
    delete_sql.run(run)
  }

  return { want, wantAgain, apply, deleteOf }
}

export type DeliveryRows = ReturnType<typeof createDeliveryRows>
