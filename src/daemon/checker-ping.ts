import { messageOf } from '../base/errors.ts'
import type { HttpClient } from '../base/http-client.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import { outgoingUrl } from '../deliver/outgoing-url.ts'
import { readSecretFile } from '../deliver/secret-file.ts'
import type { SyncReport } from '../sync/report.ts'

/** Tells a checker elsewhere that all is well. A checker that is down is told of once, and once when it is back. */
export function createCheckerPing(tools: { clock: Clock; receivers: HttpClient; report: SyncReport }) {
  const { clock, receivers, report } = tools
  let pinged_ms = Number.NEGATIVE_INFINITY
  let is_down = false

  /** When it is time. Never throws: what goes wrong is in the log, without the address. */
  return async ({ ping: checker, ping_every_ms }: Config['alerts'], signal: AbortSignal): Promise<void> => {
    if (!checker) return
    const now_ms = clock.monotonic_ms()
    if (now_ms - pinged_ms < ping_every_ms) return
    pinged_ms = now_ms
    try {
      const address = checker.url ?? readSecretFile(checker.url_file ?? '', 'the address of the checker')
      await ping(address, receivers, signal)
      if (is_down) report.trouble('alerts.ping', 'the checker answers again', 'info')
      is_down = false
    } catch (error) {
      if (signal.aborted || is_down) return
      is_down = true
      const more = 'It goes on every so often, and tells when the checker answers again'
      report.trouble('alerts.ping', `the ping failed: ${messageOf(error)}. ${more}`, 'error')
    }
  }
}

/** One GET. Errors: `network.*`, and what says that the address or the answer is of no use. */
async function ping(address: string, http: HttpClient, signal: AbortSignal): Promise<void> {
  const url = outgoingUrl(address)
  if (!url) throw new Error('its address cannot be used')
  const only_status = { headers: {}, body_most_ms: second_ms }
  const { status } = await http.request({ method: 'GET', url, ...only_status, signal })
  if (status >= 400) throw new Error(`it answered ${status}`)
}
