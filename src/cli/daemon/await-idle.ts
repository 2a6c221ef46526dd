import { SluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { createReadingWait } from '../../daemon/drain.ts'
import { refused_fact } from '../../domain/fact.ts'
import { featureIn } from '../../domain/trouble.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { FolderView } from '../../ledger/views/view-folders.ts'

/** A restarted service is back within this time. After it, an interactive command gives up. */
const patience_ms = 30 * second_ms
const poll_ms = 200

/**
 * Waits until a running daemon has no work left for now. The daemon waits out every fault, but a
 * user at a terminal does not. So a refused token or project ends the wait at once. Any other
 * trouble ends it after `patience_ms`, and slow reading by the service after `max_reading_ms`.
 */
export async function awaitIdle(options: {
  idle: Promise<void>
  view: LedgerView
  clock: Clock
  stopped: AbortSignal
  patience_ms?: number
  max_reading_ms?: number
}): Promise<'idle' | 'stopped' | SluiceError> {
  const { idle, view, clock, stopped } = options
  const began_ms = clock.now_ms()
  const decided = new AbortController()
  const either = AbortSignal.any([stopped, decided.signal])
  const reading = createReadingWait(clock, options.max_reading_ms ?? Number.POSITIVE_INFINITY)
  const is_idle = idle.then(() => 'idle' as const)

  async function watch(): Promise<'stopped' | SluiceError> {
    while (!either.aborted) {
      const fault = worstOf(
        view.troubles(),
        began_ms,
        clock.now_ms(),
        options.patience_ms ?? patience_ms,
      )
      if (fault) return fault
      const folders = view.folders()
      const read = folders.reduce((sum, { stages }) => sum + stages.ingesting.files, 0)
      if (reading.isOver(onlyReading(folders, began_ms))) return reading.verdict(read)
      await clock.sleep(poll_ms, either)
    }
    return 'stopped'
  }

  try {
    return await Promise.race([is_idle, watch()])
  } finally {
    decided.abort()
  }
}

/** Counts of all stages, as a text to compare; undefined while files are scanned or sent. */
function onlyReading(folders: readonly FolderView[], began_ms: number): string | undefined {
  const is_at_work = folders.some(({ stages, online, scan_ended_ms = 0 }) => {
    return (
      (online && scan_ended_ms < began_ms) ||
      stages.settling.files + stages.waiting.files + stages.sending.files > 0
    )
  })
  return is_at_work ? undefined : JSON.stringify(folders.map(({ stages }) => stages))
}

function worstOf(
  troubles: readonly Trouble[],
  began_ms: number,
  now_ms: number,
  patience: number,
): SluiceError | undefined {
  for (const { about, code, message, hint, since_ms } of troubles) {
    // Everything else goes on, and the pass does not wait for it.
    if (about.startsWith(refused_fact)) continue
    const [what] = about.split(':')
    if (what === 'account' || what === 'project')
      return new SluiceError({ code: `${what}.refused`, message, hint })
    if (featureIn(about) !== undefined) continue
    if (about.startsWith('uploads:'))
      return new SluiceError({ code: 'uploads.refused', message, hint })
    const waited_ms = now_ms - Math.max(since_ms, began_ms)
    if (waited_ms < patience) continue
    if (code !== 'service.asked_to_wait')
      return new SluiceError({ code: 'service.unreachable', message, hint })
    return new SluiceError({
      code,
      message: `the service asked the daemon to wait: ${message}`,
      hint,
    })
  }
  return undefined
}
