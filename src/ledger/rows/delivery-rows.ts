import type { Sqlite } from '../../base/files/sqlite.ts'
import type { DeliveryFact, DeliveryKey, ReportedProblem } from '../../domain/delivery.ts'
import type { RaisedAlert } from '../prompt-work.ts'

/** Kept for users. The newest alert also records which problems were reported. */
const max_alerts = 1_000
/** The newest ones say most, and a message must stay short. */
const max_missed = 5
const not_delivered = '**An earlier alert, which could not be delivered:**'

/**
 * A delivery is `wanted` until it is `done`, or `failed` if it was given up and a user must check.
 * A fact about a try changes nothing if the delivery is not `wanted`.
 */
export function createDeliveryRows(database: Sqlite) {
  const earlier_alerts = `alert < @alert AND target = @target AND state = 'wanted'`
  // A receiver is given up by the first alert that it did not get.
  const want_sql = database.prepare(
    `INSERT OR IGNORE INTO deliveries (run, alert, target, state, not_before_ms, wanted_ms)
       VALUES (@run, @alert, @target, 'wanted', @at_ms,
         coalesce((SELECT min(wanted_ms) FROM deliveries WHERE ${earlier_alerts}), @at_ms))`,
  )
  // The newest alert has the texts of those that did not arrive (`alert` below), so that none of
  // them arrives later, when it may be wrong.
  const drop_earlier = database.prepare(`DELETE FROM deliveries WHERE ${earlier_alerts}`)
  // The row becomes like one that is wanted for the first time.
  const want_again = database.prepare(
    `INSERT INTO deliveries (run, target, state, not_before_ms, wanted_ms)
       SELECT id, @target, 'wanted', @at_ms, @at_ms FROM runs WHERE id = @run AND state = 'written'
       ON CONFLICT (run, target) DO UPDATE SET state = 'wanted', attempts = 0, not_before_ms = @at_ms, wanted_ms = @at_ms,
         done_ms = NULL, error_code = NULL, error_message = NULL, output = NULL WHERE state <> 'done'`,
  )
  const update = (change: string) =>
    database.prepare(
      `UPDATE deliveries SET ${change} WHERE (run = @run OR alert = @alert) AND target = @target AND state = 'wanted'`,
    )
  const fault = 'error_code = @code, error_message = @message, output = @output'
  const done = update(
    `state = 'done', done_ms = @at_ms, error_code = NULL, error_message = NULL, output = @output`,
  )
  const deferred = update(`attempts = attempts + 1, not_before_ms = @not_before_ms, ${fault}`)
  const fail = update(`state = 'failed', done_ms = @at_ms, ${fault}`)
  const raise = database.prepare(
    'INSERT INTO alerts (message_id, at_ms, subject, text, problems) VALUES (@message_id, @at_ms, @subject, @text, @problems)',
  )
  const alert_sql = database.prepare(
    'SELECT message_id, at_ms, subject, text, problems FROM alerts WHERE id = ?',
  )
  const missed_sql = database.prepare(
    `SELECT text FROM (SELECT id, text FROM alerts WHERE id < @id AND at_ms >= @wanted_ms
       ORDER BY id DESC LIMIT ${max_missed}) ORDER BY id`,
  )
  const delete_of_run = database.prepare('DELETE FROM deliveries WHERE run = ?')
  const trim_sql = ['DELETE FROM deliveries WHERE alert', 'DELETE FROM alerts WHERE id'].map(
    (rows) => database.prepare(`${rows} <= (SELECT max(id) FROM alerts) - ${max_alerts}`),
  )

  function apply(fact: DeliveryFact, at_ms: number): void {
    switch (fact.type) {
      case 'alert_raised': {
        const { message_id, subject, text, problems, targets } = fact
        const row = { message_id, at_ms, subject, text, problems: JSON.stringify(problems) }
        want({ alert: Number(raise.run(row).lastInsertRowid) }, targets, at_ms)
        break
      }
      case 'delivery_wanted_again':
        for (const target of fact.targets) want_again.run({ run: fact.run, target, at_ms })
        break
      case 'delivered':
        done.run({ ...triedRow(fact), at_ms })
        break
      case 'delivery_deferred':
        deferred.run({ ...triedRow(fact), not_before_ms: fact.not_before_ms, ...fact.error })
        break
      case 'delivery_failed':
        fail.run({ ...triedRow(fact), at_ms, ...fact.error })
    }
  }

  function want(
    { run, alert }: { run?: number; alert?: number },
    targets: readonly string[],
    at_ms: number,
  ): void {
    const of = { run: run ?? null, alert: alert ?? null }
    for (const target of targets) {
      want_sql.run({ ...of, target, at_ms })
      drop_earlier.run({ ...of, target })
    }
  }

  /**
   * With the texts of earlier alerts that the receiver did not get. `wanted_ms` of the delivery is
   * the time of the first of them.
   */
  function alert(id: number, wanted_ms: number): RaisedAlert {
    const row = alert_sql.get(id) as Omit<RaisedAlert, 'problems'> & { problems: string }
    const missed = missed_sql.all({ id, wanted_ms }) as { text: string }[]
    const earlier = missed.map(({ text }) => `${not_delivered}\n\n${text}`)
    const text = [row.text, ...earlier].join('\n\n')
    return { ...row, text, problems: JSON.parse(row.problems) as ReportedProblem[] }
  }

  const deleteOfRun = (run: number): void => void delete_of_run.run(run)

  function trimAlerts(): void {
    for (const statement of trim_sql) statement.run()
  }

  return { apply, want, alert, deleteOfRun, trimAlerts }
}

export type DeliveryRows = ReturnType<typeof createDeliveryRows>

function triedRow({ run, alert, target, output }: DeliveryKey & { output?: string | undefined }) {
  return { run: run ?? null, alert: alert ?? null, target, output: output ?? null }
}

/** The problems that the newest alert reported; empty before the first alert. */
export function readReported(database: Sqlite): ReportedProblem[] {
  const newest = database
    .prepare('SELECT problems FROM alerts ORDER BY id DESC LIMIT 1')
    .pluck()
    .get()
  return newest === undefined ? [] : (JSON.parse(newest as string) as ReportedProblem[])
}
