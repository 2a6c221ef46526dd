import { optional, z } from 'zod'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { duration, off, size } from './fields.ts'
import { deliveries, hasOneUrl, outgoing_url, url_file } from './schema-deliver.ts'

const ping_schema = z
  .strictObject({
    url: outgoing_url.describe(
      'The address of the checker, such as one of healthchecks.io: https, or http to this machine alone. Anybody who knows it ' +
        'can ping in our name: `sluice config` masks it, url_file keeps it out of this file.',
    ),
    url_file,
  })
  .check(hasOneUrl)

export const alerts_schema = z.strictObject({
  deliver: deliveries(
    'Receivers of a message when the health changes, as for a report (see prompts[].deliver). Each delivery is retried for ' +
      'three days, with growing pauses. Empty by default: `sluice status`, the log and the metrics show the health, too.',
  ),
  ping: optional(ping_schema).describe(
    'A GET to a checker on another machine while there is no problem. The checker reports when the pings stop, which a ' +
      'machine that is down cannot do. Default none.',
  ),
})

const wrong_listen = 'must be off, or an address of this machine such as 127.0.0.1:9464 or [::1]:9464'

function isLoopbackAddress(text: string): boolean {
  const { host = '', port } = /^(?<host>\[[\da-f:]+\]|[\d.]+):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {}
  return isLoopbackHost(host) && Number(port) <= 65_535
}

const listen = z
  .union([off, z.string().refine(isLoopbackAddress, wrong_listen)], wrong_listen)
  .prefault('off')
  .describe(
    'Where GET /healthz, /readyz and /metrics are answered: an address of this machine with a port, such as 127.0.0.1:9464. ' +
      'Default off: two instances on one machine would fight for a fixed port, and `sluice status` needs none.',
  )

export const health_schema = z.strictObject({
  listen,
  queue_age_ms: duration('ms', { usual: '6h', min: second_ms, max: 30 * day_ms }).describe(
    'A file that has waited for longer than this, from the moment when it should be uploaded until it is ready, is stale; how many wait does ' +
      'not matter. Default 6h: a day’s files pass in minutes, a first sync over a slow line may take longer and says so.',
  ),
  offline_ms: duration('ms', { usual: '15m', min: 0, max: 30 * day_ms }).describe(
    'A folder that is offline for longer than this is a problem. Default 15m: a file server restarts in less. For a disk ' +
      'that is often taken away choose days.',
  ),
  disk_free_bytes: size({ usual: '500MB', min: 0, max: Number.MAX_SAFE_INTEGER }).describe(
    'Less free space than this on the disk of state_dir is a problem. Default 500MB: about the size of a ledger of a million ' +
      'files. Without free space nothing can be recorded.',
  ),
})
