import { printable } from '../base/format.ts'
import { type LineWriter, spanText } from './lines.ts'
import type { PauseStatus } from './view.ts'

/** The first line of all: whatever else is told, nothing goes out. */
export function sayPause(writer: LineWriter, pause: PauseStatus, now_ms: number): void {
  writer.say(pauseText(pause, now_ms), { tone: 'warn' })
  writer.say('nothing new is sent, asked or delivered; `sluice resume` ends it', { indent: 2 })
}

/** `paused for 3 min by anna, for another 57 min: the line is slow` */
export function pauseText({ since, until, by, why }: PauseStatus, now_ms: number): string {
  const ago = spanText(since, now_ms)
  const left = until === null ? '' : `, for another ${spanText(now_ms, until)}`
  return printable(`paused for ${ago} by ${by}${left}${why === null ? '' : `: ${why}`}`)
}
