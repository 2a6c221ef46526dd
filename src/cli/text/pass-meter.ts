import { formatBytes, formatCount, formatDuration, textWidth } from '../../base/text/format.ts'
import { second_ms } from '../../base/time/time.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { Amount, FolderView } from '../../ledger/views/view-folders.ts'

/** Progress of a pass. `done`: files that it does not wait for any more, whether ready or not. */
export interface PassState {
  is_scanning: boolean
  total: Amount
  done: Amount
}

const done_stages: readonly Stage[] = [
  'ready',
  'refused',
  'removed_on_service',
  'blocked',
  'skipped',
]

/** `began_ms`: a folder whose last scan ended before that is still being scanned. */
export function passState(folders: readonly FolderView[], began_ms: number): PassState {
  const state = { is_scanning: false, total: { files: 0, bytes: 0 }, done: { files: 0, bytes: 0 } }
  for (const { stages, scan_ended_ms, offline_reason } of folders) {
    if (offline_reason === undefined && (scan_ended_ms ?? 0) < began_ms) state.is_scanning = true
    for (const [stage, amount] of Object.entries(stages) as [Stage, Amount][]) {
      if (stage === 'gone') continue
      add(state.total, amount)
      if (done_stages.includes(stage)) add(state.done, amount)
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
  left: string
}

/** Long enough that a large file between two small ones does not make the figures jump. */
const window_ms = 15 * second_ms

/** Makes a function that turns states into texts for users. Rates are of the last 15 s. */
export function createPassMeter(): (state: PassState, now_ms: number) => PassTexts {
  const samples: { at_ms: number; done: Amount }[] = []
  return ({ is_scanning, total, done }, now_ms) => {
    samples.push({ at_ms: now_ms, done: { ...done } })
    while (samples.length > 2 && now_ms - samples[0]!.at_ms > window_ms) samples.shift()
    const first = samples[0]!
    const over_s = (now_ms - first.at_ms) / second_ms
    const rate = (what: keyof Amount) =>
      over_s > 0 ? Math.max(0, done[what] - first.done[what]) / over_s : 0
    return {
      files: `${formatCount(done.files)} of ${formatCount(total.files)} files`,
      bytes: `${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}`,
      rate: `${rateText(rate('files'))} files/s, ${formatBytes(Math.round(rate('bytes')))}/s`,
      left: is_scanning ? 'still scanning' : leftText(total, done, rate),
    }
  }
}

function rateText(files_per_s: number): string {
  return files_per_s < 9.95 ? files_per_s.toFixed(1) : formatCount(Math.round(files_per_s))
}

/** Estimates the time left from files and from bytes. The longer one is nearer to the truth. */
function leftText(total: Amount, done: Amount, rate: (what: keyof Amount) => number): string {
  const times_s = (['files', 'bytes'] as const).map((what) => {
    const left = total[what] - done[what]
    return left <= 0 ? 0 : left / rate(what)
  })
  const left_s = Math.max(...times_s)
  if (left_s === 0) return 'done'
  return Number.isFinite(left_s)
    ? `${formatDuration(left_s * second_ms)} left`
    : 'time left unknown'
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
  for (const [at, part] of [files, bytes, rate, left].entries()) {
    const longer = line + (at === 0 ? ' ' : ' | ') + part
    if (textWidth(longer) >= columns) break
    line = longer
  }
  return line
}
