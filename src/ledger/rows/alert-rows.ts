import type { Sqlite } from '../../base/files/sqlite.ts'
import type { AlertFact, ToldReason } from '../../domain/alert.ts'

/** One alert on its way to one receiver. */
export interface AlertWork {
  alert: number
  target: string
  attempts: number
  /** When it was first wanted. */
  wanted_ms: number
  message_id: string
  at_ms: number
  subject: string
  text: string
  reasons: ToldReason[]
}

/** Alerts are for people, who ask about the last ones; the newest says what was told. */
const most_alerts = 1_000

/** Rows of `alerts` and `alert_deliveries`: `wanted` until it is `done`, or `failed` when it was given up. */
export function createAlertRows(database: Sqlite) {
  const raise = database.prepare(
    'INSERT INTO alerts (message_id, at_ms, subject, text, reasons) VALUES (@message_id, @at_ms, @subject, @text, @reasons)',
  )
  const want = database.prepare(
    `INSERT INTO alert_deliveries (alert, target, state, not_before_ms, wanted_ms) VALUES (?, ?, 'wanted', ?, ?)`,
  )
  const update = (change: string) =>
    database.prepare(
      `UPDATE alert_deliveries SET ${change} WHERE alert = @alert AND target = @target AND state = 'wanted'`,
    )
  const fault = 'error_code = @code, error_message = @message'
  const done = update(`state = 'done', done_ms = @at_ms, error_code = NULL, error_message = NULL`)
  const set_back = update(`attempts = attempts + 1, not_before_ms = @not_before_ms, ${fault}`)
  const fail = update(`state = 'failed', done_ms = @at_ms, ${fault}`)
  const trim_sql = ['DELETE FROM alert_deliveries WHERE alert', 'DELETE FROM alerts WHERE id'].map((rows) =>
    database.prepare(`${rows} <= (SELECT max(id) FROM alerts) - ${most_alerts}`),
  )

  function apply(fact: AlertFact, at_ms: number): void {
    switch (fact.type) {
      case 'alert_raised': {
        const { message_id, subject, text, reasons, targets } = fact
        const row = { message_id, at_ms, subject, text, reasons: JSON.stringify(reasons) }
        const alert = raise.run(row).lastInsertRowid
        for (const target of targets) want.run(alert, target, at_ms, at_ms)
        break
      }
      case 'alert_delivered':
        done.run({ alert: fact.alert, target: fact.target, at_ms })
        break
      case 'alert_set_back': {
        const { alert, target, not_before_ms, error } = fact
        set_back.run({ alert, target, not_before_ms, ...error })
        break
      }
      case 'alert_given_up':
        fail.run({ alert: fact.alert, target: fact.target, at_ms, ...fact.error })
    }
  }

  function trim(): void {
    for (const statement of trim_sql) statement.run()
  }

  return { apply, trim }
}

export type AlertRows = ReturnType<typeof createAlertRows>

/** What stands as it was last told; empty before the first alert. */
export function readTold(database: Sqlite): ToldReason[] {
  const newest = database.prepare('SELECT reasons FROM alerts ORDER BY id DESC LIMIT 1').pluck().get()
  return newest === undefined ? [] : (JSON.parse(newest as string) as ToldReason[])
}

/** Wanted and due, oldest first. */
export function readDueAlerts(database: Sqlite, now_ms: number, limit: number): AlertWork[] {
  const rows = database
    .prepare(
      `SELECT alert, target, attempts, wanted_ms, message_id, at_ms, subject, text, reasons
       FROM alert_deliveries JOIN alerts ON alerts.id = alert
       WHERE state = 'wanted' AND not_before_ms <= ? ORDER BY not_before_ms, alert, target LIMIT ?`,
    )
    .all(now_ms, limit)
  return (rows as (Omit<AlertWork, 'reasons'> & { reasons: string })[]).map((row) => ({
    ...row,
    reasons: JSON.parse(row.reasons) as ToldReason[],
  }))
}
