import { SluiceError, toPlainError } from '../base/run/errors.ts'
import { startThread, type Thread } from '../base/run/thread.ts'
import { runWorker } from '../base/run/worker.ts'
import type { Log } from '../base/text/log.ts'
import { type Clock, minute_ms, second_ms, within } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Opened } from './page-thread.ts'
import type { PageNote } from './page-tools.ts'

type KeeperTools = { config: () => Config; record: Ledger['record']; log: Log; clock: Clock }

/** Interval at which a new configuration is noticed; comparing costs nothing. */
const check_every_ms = second_ms
/** Interval of tries while it cannot be served. */
const retry_ms = 5 * second_ms
/** Running requests get half a second (open-page.ts). */
const close_wait_ms = 2 * second_ms
/** After its thread has failed, the page must be served for so long before all is well again. */
const calm_ms = minute_ms
/** A page needs little memory for short-lived objects; see startThread. */
const young_mb = 8

/**
 * Serves the page in a thread of its own while the configuration wants one, so that a search never
 * delays an upload. If the page cannot listen, or its thread fails, it is tried again. A trouble
 * shows this in the health. Without page.listen nothing of it is loaded.
 */
export function keepPage({ config, record, log, clock }: KeeperTools) {
  const stop = new AbortController()
  let thread: Thread | undefined
  let served: Config | undefined
  /** The message of the trouble in the ledger; undefined without one. */
  let trouble: string | undefined
  let calm_from_ms = 0
  /** The certificate is read again every minute: programs that renew it reload nothing. */
  let read_keys_at_ms = 0
  const on_error = (error: unknown) =>
    log.error({ error }, 'the state of the page cannot be recorded')
  const worker = runWorker({ name: 'page', step, clock, signal: stop.signal, on_error })

  async function step(): Promise<{ wait_ms: number }> {
    try {
      const wanted = config()
      const is_renewal_due =
        wanted.page.tls_cert !== undefined && clock.monotonic_ms() >= read_keys_at_ms
      if (wanted !== served || is_renewal_due) {
        served = wanted
        read_keys_at_ms = clock.monotonic_ms() + minute_ms
        await serve(wanted)
      }
    } catch (error) {
      await begin(error)
    }
    if (trouble !== undefined && served && clock.monotonic_ms() >= calm_from_ms) {
      await record([{ type: 'trouble_ended', about: 'page' }])
      trouble = undefined
    }
    return { wait_ms: served ? check_every_ms : retry_ms }
  }

  /** Logs and records a trouble, unless that is done already. */
  async function begin(
    error: unknown,
    what = 'the page cannot be served as it is configured',
  ): Promise<void> {
    served = undefined
    const {
      code,
      message: why,
      hint: usual = 'the log of the daemon says more',
    } = toPlainError(error)
    const message = `${what}: ${why}`
    if (message === trouble) return
    log.error({ error }, what)
    const hint =
      code === 'http.listen'
        ? 'end the program that uses it (`ss -lptn`), or change page.listen'
        : usual
    await record([{ type: 'trouble_began', about: 'page', error: { code, message, hint } }])
    trouble = message
  }

  async function serve(wanted: Config): Promise<void> {
    if (wanted.page.listen === 'off') return end()
    if (!thread) {
      thread = startThread('page/page-thread', undefined, { young_mb })
      void passOnNotes(thread)
    }
    const { address, refused, kept } = await thread.call<Opened>('open', wanted)
    if (refused) await begin(new SluiceError(refused), `the page goes on with its earlier ${kept}`)
    if (address !== undefined) log.info({ address }, 'the page is served')
  }

  async function passOnNotes(of: Thread): Promise<void> {
    try {
      while (thread === of) {
        for (const { level, message, fields } of await of.call<PageNote[]>('notes', undefined))
          log[level]({ ...fields }, message)
      }
    } catch (error) {
      if (thread !== of) return
      // The next step starts another one.
      thread = undefined
      calm_from_ms = clock.monotonic_ms() + calm_ms
      await begin(error).catch(on_error)
      worker.wake()
    }
  }

  async function end(): Promise<void> {
    const ended = thread
    thread = undefined
    // A search may be running in it: it does not keep the daemon from stopping.
    const closed = ended?.call('close', undefined).catch(() => {})
    if (closed) await within(closed, close_wait_ms, clock)
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
