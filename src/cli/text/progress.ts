import { formatBytes, formatCount, formatDuration, textWidth } from '../../base/text/format.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { Amount, FolderView } from '../../ledger/views/view-folders.ts'
import type { Terminal } from './terminal.ts'

const redraw_ms = 250
/** Lines in a file or a service's log: few enough to read, often enough to see that it moves. */
const line_ms = 5 * second_ms
/** Below this the numbers need the room. */
const narrow_columns = 60

/**
 * Shows the progress of a pass on standard error: a bar on a terminal, elsewhere a line every few
 * seconds.
 */
export function showProgress(options: { terminal: Terminal; clock: Clock; read: () => PassState }) {
  const { terminal, clock, read } = options
  const ending = new AbortController()
  const meter = createPassMeter()
  const show = terminal.is_interactive ? barFor(terminal) : linesFor(terminal)
  const every_ms = terminal.is_interactive ? redraw_ms : line_ms

  let is_shown = false
  function update(): void {
    is_shown = true
    const state = read()
    show.update(state, meter(state, clock.monotonic_ms()))
  }

  async function watch(): Promise<void> {
    // A pass that ends in a moment needs no line: wait before the first one.
    await clock.sleep(every_ms, ending.signal)
    while (!ending.signal.aborted) {
      update()
      await clock.sleep(every_ms, ending.signal)
    }
    // A bar that stops at 97 % would seem to be a fault.
    if (is_shown) update()
    show.end()
  }

  // The rate is measured from here.
  meter(read(), clock.monotonic_ms())
  const watching = watch()
  return {
    /** Writes whole log lines above the bar. */
    log_destination: show.log_destination,
    /** Shows the last state, if any was shown, and stops. A second call changes nothing. */
    end() {
      ending.abort()
      return watching
    },
  }
}

interface Display {
  update(state: PassState, texts: ReturnType<ReturnType<typeof createPassMeter>>): void
  end(): void
  log_destination: { write(text: string): void } | undefined
}

/**
 * The bar and as many of the texts as the window has room for, the first of them first.
 *
 * @internal
 */
export function barText(progress: number, { files, bytes, rate, left }: PassTexts, columns: number): string {
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

function barFor(terminal: Terminal): Display {
  let bar = ''
  return {
    update({ total, done }, texts) {
      bar = barText(done.files / Math.max(1, total.files), texts, terminal.width)
      terminal.inPlace(bar)
    },
    end() {
      if (bar !== '') terminal.err('')
      bar = ''
    },
    log_destination: {
      write(text) {
        terminal.inPlace('')
        process.stderr.write(text)
        terminal.inPlace(bar)
      },
    },
  }
}

function linesFor(terminal: Terminal): Display {
  let last = ''
  return {
    update(_state, { files, bytes, rate, left }) {
      const line = `${files}, ${bytes}, ${rate}, ${left}`
      if (line !== last) terminal.err(line)
      last = line
    },
    end() {},
    log_destination: undefined,
  }
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const spin_ms = 120

interface Spinner {
  /** Takes the line away; twice is once. */
  end(): Promise<void>
}

/** Shows on a terminal that something goes on, and for how long; `text` is asked each time. */
export function showSpinner(terminal: Terminal, clock: Clock, text: () => string): Spinner {
  const ending = new AbortController()
  const began_ms = clock.monotonic_ms()

  async function turn(): Promise<void> {
    for (let frame = 0; !ending.signal.aborted; frame++) {
      const passed_ms = clock.monotonic_ms() - began_ms
      // The first second is not worth a number.
      const since = passed_ms < second_ms ? '' : ` (${formatDuration(Math.floor(passed_ms / second_ms) * second_ms)})`
      terminal.inPlace(`${frames[frame % frames.length]} ${text()}${since}`)
      await clock.sleep(spin_ms, ending.signal)
    }
    terminal.inPlace('')
  }

  const turning = turn()
  return {
    end() {
      ending.abort()
      return turning
    },
  }
}

/** How far a pass is. `done`: nothing more happens to it by itself, for better or worse. */
export interface PassState {
  is_scanning: boolean
  total: Amount
  done: Amount
}

const done_stages: readonly Stage[] = ['ready', 'refused', 'removed_on_service', 'blocked', 'skipped']

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

/**
 * Turns states into texts for people. The rate is that of the last seconds.
 *
 * @internal
 */
export function createPassMeter(): (state: PassState, now_ms: number) => PassTexts {
  const samples: { at_ms: number; done: Amount }[] = []
  return ({ is_scanning, total, done }, now_ms) => {
    samples.push({ at_ms: now_ms, done: { ...done } })
    while (samples.length > 2 && now_ms - samples[0]!.at_ms > window_ms) samples.shift()
    const first = samples[0]!
    const over_s = (now_ms - first.at_ms) / second_ms
    const rate = (what: keyof Amount) => (over_s > 0 ? Math.max(0, done[what] - first.done[what]) / over_s : 0)
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
  return Number.isFinite(left_s) ? `${formatDuration(left_s * second_ms)} left` : 'time left unknown'
}
