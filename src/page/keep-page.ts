import { startThread, type Thread } from '../base/run/thread.ts'
import { runWorker } from '../base/run/worker.ts'
import type { Log } from '../base/text/log.ts'
import { type Clock, second_ms, within } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { PageNote } from './page-tools.ts'

/** Interval at which a new configuration is noticed; comparing costs nothing. */
const look_every_ms = second_ms
/** Running requests get half a second (open-page.ts). */
const close_wait_ms = 2 * second_ms
/** A page needs little memory for short-lived objects; see startThread. */
const young_mb = 8

/**
 * Serves the page in a thread of its own while the configuration wants one, so that searching never
 * delays an upload. If it cannot listen, or its thread fails, it is tried again. Without page.listen
 * nothing of it is loaded.
 */
export function keepPage({ config, log, clock }: { config: () => Config; log: Log; clock: Clock }) {
  const stop = new AbortController()
  let thread: Thread | undefined
  let served: Config | undefined
  const on_error = (error: unknown) => log.error({ error }, 'the page cannot be served')
  const worker = runWorker({ name: 'page', step, clock, signal: stop.signal, on_error })

  async function step(): Promise<{ wait_ms: number }> {
    const wanted = config()
    if (wanted !== served) {
      served = wanted
      try {
        await serve(wanted)
      } catch (error) {
        served = undefined
        throw error
      }
    }
    return { wait_ms: look_every_ms }
  }

  async function serve(wanted: Config): Promise<void> {
    if (wanted.page.listen === 'off') return end()
    if (!thread) {
      thread = startThread('page/page-thread', undefined, { young_mb })
      void passOnNotes(thread)
    }
    const address = await thread.call<string>('open', wanted)
    log.info({ address }, 'the page is served')
  }

  async function passOnNotes(of: Thread): Promise<void> {
    try {
      while (thread === of) {
        for (const { level, message, fields } of await of.call<PageNote[]>('notes', undefined))
          log[level]({ ...fields }, message)
      }
    } catch (error) {
      if (thread !== of) return
      // The thread has failed: the next step starts another one.
      on_error(error)
      thread = undefined
      served = undefined
    }
  }

  async function end(): Promise<void> {
    const ended = thread
    thread = undefined
    // A search may be running in it: it does not keep the daemon from stopping.
    if (ended)
      await within(
        ended.call('close', undefined).catch(() => {}),
        close_wait_ms,
        clock,
      )
    await ended?.terminate()
  }

  return {
    async close(): Promise<void> {
      stop.abort()
      await worker.ended
      await end()
    },
  }
}
