import { minute_ms } from '../../base/time/time.ts'
import { type AuditState, expectedAssets } from '../../ledger/rows/audit-rows.ts'
import { assets_a_page } from '../../remote/assets.ts'

/** One turn is a list page, which the service must compose, or this many quick single reads. */
export const reads_a_turn = 10

/** Calls per minute of a requested audit: a list of a million takes 1.5 hours. */
const asked_per_minute = 120
/** Ten calls a second do not burden the service. A round that needs more takes longer. */
const max_per_minute = 600
/** Share of its time that a round aims for. The rest is reserve for pauses and restarts. */
const aim = 0.8
/**
 * A late round does not hurry: the rest is spread over this share of the time. As each turn
 * computes it anew, the whole takes several times as long. It still ends in time, even if a tenth
 * of millions needs single reads.
 */
const least_share = 0.01

/** Pause after a turn, so that the round ends in time but no faster than necessary. */
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
  return minute_ms / Math.min(Math.max(usual, needed), Math.max(usual, max_per_minute))
}

function turnsLeft(running: NonNullable<AuditState['running']>, last_pages: number, expected: number): number {
  if (running.listed) return Math.max(1, (expected - expectedAssets(running.counts)) / reads_a_turn)
  const pages = Math.max(last_pages, expected / assets_a_page)
  return Math.max(1, pages - running.pages)
}
