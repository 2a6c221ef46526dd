import { minute_ms } from '../../base/time/time.ts'
import { type AuditState, expectedAssets } from '../../ledger/rows/audit-rows.ts'
import { assets_a_page } from '../../remote/assets.ts'

/**
 * A page of the list, or so many single reads, are one turn: the service answers a read from
 * memory, a page it has to put together.
 */
export const reads_a_turn = 10

/** A requested audit is waited for: it reads a list of a million in an hour and a half. */
const asked_per_minute = 120
/**
 * Ten calls a second are a burden that no service notices from one client; a round that needs more
 * takes longer.
 */
const most_per_minute = 600
/**
 * A round aims at this part of its time: what comes in the way (a pause, a restart) has the rest.
 */
const aim = 0.8
/**
 * One that is late already does not run: what is left is spread over this part of the time. As that
 * is said anew at each turn, the whole takes some times as much, and with a tenth of millions to be
 * asked for singly it still is in time.
 */
const least_share = 0.01

/**
 * How long to rest after a turn, so that the round is over in time and no faster than it need be.
 */
export function pauseAfterTurn_ms(
  { running, last, expected }: Pick<AuditState, 'running' | 'last' | 'expected'>,
  settings: { pages_per_minute: number; round_ms: number },
  now_ms: number,
): number {
  if (!running) return 0
  const { pages_per_minute, round_ms } = settings
  const elapsed_ms = Math.max(0, now_ms - running.began_ms)
  const time_left_ms = Math.max(round_ms * aim - elapsed_ms, round_ms * least_share)
  const usual = running.asked ? Math.max(pages_per_minute, asked_per_minute) : pages_per_minute
  const needed = turnsLeft(running, last?.pages ?? 0, expected) / (time_left_ms / minute_ms)
  return minute_ms / Math.min(Math.max(usual, needed), Math.max(usual, most_per_minute))
}

function turnsLeft(running: NonNullable<AuditState['running']>, last_pages: number, expected: number): number {
  if (running.listed) return Math.max(1, (expected - expectedAssets(running.counts)) / reads_a_turn)
  const pages = Math.max(last_pages, expected / assets_a_page)
  return Math.max(1, pages - running.pages)
}
