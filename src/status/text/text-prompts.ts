import { counted, formatSpan } from '../../base/text/format.ts'
import { promptTimeText } from '../../base/time/time.ts'
import { stateText } from '../../domain/run.ts'
import type { PromptRunStatus, PromptStatus, UndeliveredStatus } from '../prompts.ts'
import { type Line, type LineWriter, spanText } from './lines.ts'

/** Adds lines about each prompt: its next time, its last run, and reports that do not arrive. */
export function promptLines(
  writer: LineWriter,
  prompts: readonly PromptStatus[],
  now_ms: number,
): void {
  for (const { name, configured, timezone, next, last_run, undelivered } of prompts) {
    const shown = (time: string) => promptTimeText(Date.parse(time), timezone ?? 'UTC')
    writer.gap()
    const when = next === null ? 'never' : shown(next)
    const text = configured ? `next ${when}` : 'is no longer in the configuration'
    writer.say(`prompt ${name}  ${text}`, { tone: 'strong' })
    if (last_run) sayRun(writer, last_run, shown(last_run.due))
    else if (configured) writer.detail('has not run yet', 'faint')
    for (const delivery of undelivered) {
      if (configured) sayUndelivered(writer, delivery, now_ms)
      else
        writer.detail(
          `delivery ${delivery.receiver} of run ${delivery.run} has not arrived`,
          'warn',
        )
    }
  }
}

const tones: Partial<Record<PromptRunStatus['state'], Line['tone']>> = {
  written: 'good',
  failed: 'bad',
}

function sayRun(
  writer: LineWriter,
  { run, state, empty, why, files, report }: PromptRunStatus,
  due: string,
): void {
  const covered = state === 'written' ? `, ${counted(files, 'file')}` : ''
  const where = report === null ? '' : `: ${report}`
  const because = why === null ? '' : `: ${why}`
  const tone = empty === null ? (tones[state] ?? 'plain') : 'warn'
  writer.detail(
    `run ${run} of ${due}: ${stateText(state, empty)}${covered}${where}${because}`,
    tone,
  )
  if (state === 'failed')
    writer.say(`\`sluice prompts show ${run}\` says more`, { indent: 4, tone: 'faint' })
}

function sayUndelivered(writer: LineWriter, delivery: UndeliveredStatus, now_ms: number): void {
  const { run, receiver, state, attempts, since, next_try, error } = delivery
  const why = error === null ? '' : `: ${error.message}`
  const ago = spanText(since, now_ms)
  const wait_ms = next_try === null ? 0 : Date.parse(next_try) - now_ms
  const next = wait_ms > 0 ? `the next in ${formatSpan(now_ms, now_ms + wait_ms)}` : 'the next now'
  const tries = `${counted(attempts, 'try', 'tries')} in ${ago}`
  const text =
    state === 'failed'
      ? `given up: repair the receiver, then run \`sluice prompts deliver ${run}\``
      : `${tries}, ${next}`
  writer.detail(
    `delivery ${receiver} of run ${run} fails (${text})${why}`,
    state === 'failed' ? 'bad' : 'warn',
  )
}
