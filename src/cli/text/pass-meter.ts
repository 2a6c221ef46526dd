import { formatBytes, formatCount, formatDuration, textWidth } from '../../base/text/format.ts'
import { second_ms } from '../../base/time/time.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { Amount, FolderView } from '../../ledger/views/view-folders.ts'
import type { Moved } from '../../sync/upload/flights.ts'
import { type PassAmounts, TimeLeft } from './time-left.ts'

/** Progress of a pass. `done`: files that it does not wait for any more, whether ready or not. */
export interface PassState extends PassAmounts {
  is_scanning: boolean
}

const done_stages: readonly Stage[] = [
  'ready',
  'refused',
  'removed_on_service',
  'blocked',
  'skipped',
]

/**
 * `began_ms`: a folder whose last scan ended before that is still being scanned. `moved`: absent if
 * another process sends the files.
 */
export function passState(
  folders: readonly FolderView[],
  began_ms: number,
  moved?: Moved,
): PassState {
  const state: PassState = {
    is_scanning: false,
    total: { files: 0, bytes: 0 },
    done: { files: 0, bytes: 0 },
    sent: { files: 0, bytes: 0 },
    sending: { files: 0, bytes: 0 },
    moved,
  }
  for (const { stages, scan_ended_ms, offline_reason } of folders) {
    if (offline_reason === undefined && (scan_ended_ms ?? 0) < began_ms) state.is_scanning = true
    for (const [stage, amount] of Object.entries(stages) as [Stage, Amount][]) {
      if (stage === 'gone') continue
      const is_done = done_stages.includes(stage)
      add(state.total, amount)
      if (is_done) add(state.done, amount)
      if (is_done || stage === 'ingesting') add(state.sent, amount)
      if (stage === 'sending') add(state.sending, amount)
    }
  }
  return state
}

function add(to: Amount, amount: Amount): void {
  to.files += amount.files
  to.bytes += amount.bytes
}

export interface PassTexts {
  files: string
  bytes: string
  rate: string
  /** Empty where a figure would be a guess. */
  left: string
}

/** Long enough that a large file between two small ones does not make the figures jump. */
const window_ms = 15 * second_ms

/** Makes a function that turns states into texts for users. Rates are of the last 15 s. */
export function createPassMeter(): (state: PassState, now_ms: number) => PassTexts {
  const samples: { at_ms: number; files: number; bytes: number }[] = []
  const time_left = new TimeLeft()
  return (state, now_ms) => {
    const { total, done, sent, moved } = state
    const gone_bytes = sent.bytes + (moved?.bytes ?? 0)
    samples.push({ at_ms: now_ms, files: done.files, bytes: gone_bytes })
    while (samples.length > 2 && now_ms - samples[0]!.at_ms > window_ms) samples.shift()
    const first = samples[0]!
    const over_s = (now_ms - first.at_ms) / second_ms
    const rate = (change: number) => (over_s > 0 ? Math.max(0, change) / over_s : 0)
    const files = rateText(rate(done.files - first.files))
    const bytes = formatBytes(Math.round(rate(gone_bytes - first.bytes)))
    return {
      files: `${formatCount(done.files)} of ${formatCount(total.files)} files`,
      bytes: `${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}`,
      rate: `${files} files/s, ${bytes}/s`,
      left: leftText(state, time_left.estimate(state, now_ms)),
    }
  }
}

function rateText(files_per_s: number): string {
  return files_per_s < 9.95 ? files_per_s.toFixed(1) : formatCount(Math.round(files_per_s))
}

function leftText({ is_scanning, total, done }: PassState, left_ms: number | undefined): string {
  if (is_scanning) return 'still scanning'
  if (done.files >= total.files) return 'done'
  return left_ms === undefined ? '' : `about ${formatDuration(left_ms)} left`
}

/** In a narrower window the bar is shorter, so that more of the texts fits. */
const narrow_columns = 60

/** The bar, and as many of the texts as fit into the line, in this order. */
export function barText(
  progress: number,
  { files, bytes, rate, left }: PassTexts,
  columns: number,
): string {
  const width = columns < narrow_columns ? 8 : 20
  const done = Math.round(Math.min(1, progress) * width)
  let line = '\u2588'.repeat(done) + '\u2591'.repeat(width - done)
  for (const [at, part] of [files, bytes, rate, left].filter((text) => text !== '').entries()) {
    const longer = line + (at === 0 ? ' ' : ' | ') + part
    if (textWidth(longer) >= columns) break
    line = longer
  }
  return line
}
