import type { Sqlite } from '../base/sqlite.ts'
import { minute_ms } from '../base/time.ts'
import { to_send } from './content-queue.ts'

/** What can only be read in folders that are offline or no longer configured is asked about again after this. */
const out_of_reach_ms = 5 * minute_ms

/**
 * Puts work off while its folder is away, and brings it back at once when the folder is. The mark stands in the row, where
 * nothing else does, so that the next life of the daemon knows it too.
 */
export function createOutOfReach(database: Sqlite) {
  const defer_content = database.prepare(
    // In the place of an earlier error, too: else it would not be known when the folder comes back.
    `UPDATE contents SET not_before_ms = ?, error_code = 'out_of_reach', error_message = 'its folder is not there' WHERE id = ?`,
  )
  const defer_look = database.prepare(
    `UPDATE files SET not_before_ms = ?, reason = coalesce(reason, 'out_of_reach') WHERE folder = ? AND path = ?`,
  )
  // Of what is due by now nothing has to be said, and a backlog of a million rows is not read each time that a folder is found there.
  const return_contents = database.prepare(
    `UPDATE contents SET not_before_ms = @at_ms, error_code = NULL, error_message = NULL
       WHERE ${to_send} AND not_before_ms > @at_ms AND error_code = 'out_of_reach'`,
  )
  const return_looks = database.prepare(
    `UPDATE files SET not_before_ms = @at_ms, reason = NULL
       WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL AND reason = 'out_of_reach'`,
  )

  function deferContent(content: number, now_ms: number): void {
    defer_content.run(now_ms + out_of_reach_ms, content)
  }

  function deferLook(folder: number, path: string, now_ms: number): void {
    defer_look.run(now_ms + out_of_reach_ms, folder, path)
  }

  /** A folder came back: what waits for one is due now; what is still out of reach is put off again. */
  function bringBack(at_ms: number): void {
    return_contents.run({ at_ms })
    return_looks.run({ at_ms })
  }

  return { deferContent, deferLook, bringBack }
}
