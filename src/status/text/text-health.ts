import { counted, printable } from '../../base/text/format.ts'
import { clockText } from '../../base/time/time.ts'
import type { HealthStatus } from '../health/health-facts.ts'
import type { PauseStatus } from '../view.ts'
import { type LineWriter, spanText } from './lines.ts'

/**
 * The health in one line, and two more for each problem. `is_fine`: no line of the status below is
 * a warning. A fault may be too young to be a problem of the health.
 */
export function healthLines(
  writer: LineWriter,
  { state, paused, problems }: HealthStatus,
  now_ms: number,
  is_fine: boolean,
): void {
  const count = counted(problems.length, 'problem')
  const held =
    paused === null ? '' : `; paused for ${spanText(paused, now_ms)}: nothing is uploaded meanwhile`
  if (state === 'healthy') {
    const text = is_fine
      ? 'Sluice works without faults'
      : 'Sluice works; see below what needs attention'
    writer.say(`${text}${held}`, { tone: is_fine && paused === null ? 'good' : 'warn' })
  } else if (state === 'unhealthy') writer.say(`health: ${count}${held}`, { tone: 'bad' })
  else {
    const last = problems.length === 0 ? '' : `; ${count} when it was last known`
    writer.say(`health: unknown, no daemon is running, so nothing is tried${last}`, {
      tone: 'warn',
    })
  }
  for (const { kind, about, message, hint, since } of problems) {
    const when = kind === 'account' ? ` since ${clockText(Date.parse(since), now_ms)}` : ''
    writer.detail(
      `${kind === 'project' ? `project ${about}` : kind}: ${message}${when}`,
      state === 'unhealthy' ? 'bad' : 'warn',
    )
    writer.say(hint, { indent: 4, tone: 'faint' })
  }
}

/** These lines come first: during a pause nothing is uploaded, whatever the other lines say. */
export function sayPause(writer: LineWriter, pause: PauseStatus, now_ms: number): void {
  writer.say(pauseText(pause, now_ms), { tone: 'warn' })
  writer.detail('nothing new is uploaded, asked or delivered; `sluice resume` ends it')
}

/** `paused for 3 min by anna, for another 57 min: the line is slow` */
export function pauseText({ since, until, by, why }: PauseStatus, now_ms: number): string {
  const ago = spanText(since, now_ms)
  const left = until === null ? '' : `, for another ${spanText(now_ms, until)}`
  return printable(`paused for ${ago} by ${by}${left}${why === null ? '' : `: ${why}`}`)
}
