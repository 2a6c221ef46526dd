import { formatCount, formatDuration } from '../../base/text/format.ts'
import { day_ms } from '../../base/time/time.ts'
import type { AuditStatus } from '../audits.ts'
import type { LineWriter } from './lines.ts'

/**
 * Adds a line for each project with an audit: how many of the assets ready here were ready on the
 * service, and when that was checked.
 */
export function auditLines(writer: LineWriter, audits: readonly AuditStatus[], now_ms: number): void {
  const told = audits.filter(({ last_full, running }) => last_full ?? running)
  if (told.length > 0) writer.gap()
  for (const audit of told) {
    const of = audits.length > 1 ? ` of ${audit.project_id}` : ''
    sayAudit(writer, audit, of, now_ms)
    if (!audit.looks_emptied) continue
    const where = `in ${audit.project_id}`
    writer.say(`so much is gone ${where} that it was emptied, or is not the one it was: check service.project_id`, {
      indent: 2,
      tone: 'bad',
    })
    writer.say(
      'what is listed there again is ready again; `sluice retry FOLDER` sends it once more, `sluice accept FOLDER` leaves it so',
      { indent: 2 },
    )
  }
}

function sayAudit(writer: LineWriter, { last_full, running }: AuditStatus, of: string, now_ms: number): void {
  if (last_full) {
    const { usable, expected, ended } = last_full
    const when = timeText(Date.parse(ended), now_ms)
    const text = `last full audit${of} ${when}: ${formatCount(usable)} of ${formatCount(expected)} usable`
    writer.say([text, ...othersText(last_full)].join(', '), { tone: usable === expected ? 'faint' : 'warn' })
  } else if (running) {
    const { looked_at, expected } = running
    const most = formatCount(Math.max(looked_at, expected))
    writer.say(`first audit${of}: ${formatCount(looked_at)} of about ${most} looked at`, { tone: 'faint' })
  }
}

function othersText(full: NonNullable<AuditStatus['last_full']>): string[] {
  const said = [
    [full.missing, 'gone there'],
    [full.failed, 'failed there'],
    [full.unready, 'being read again there'],
    [full.unanswered, 'without an answer'],
  ] as const
  return said.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
}

/** Local time of day; for a time more than a day ago, its age. */
function timeText(at_ms: number, now_ms: number): string {
  if (now_ms - at_ms > day_ms) return `${formatDuration(now_ms - at_ms)} ago`
  const at = new Date(at_ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}
