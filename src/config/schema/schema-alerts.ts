import { optional, z } from 'zod'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { hostAndPort } from '../listen.ts'
import { duration, off, size } from './fields.ts'
import { deliveries, hasOneUrl, outgoing_url, url_file } from './schema-deliver.ts'
import { max_bytes } from './schema-limits.ts'

const ping_schema = z
  .strictObject({
    url: outgoing_url.describe(
      'The address of the checker, such as one of healthchecks.io: https, or http to this machine. It is a ' +
        'secret, because anyone who has it can send pings. `sluice config` masks it. With url_file it is not in ' +
        'this file.',
    ),
    url_file,
  })
  .check(hasOneUrl)

export const alerts_schema = z.strictObject({
  deliver: deliveries(
    'Receivers of a message when the health changes, as for a report (see prompts[].deliver). Sluice retries ' +
      'each delivery for three days, with growing pauses. Empty by default: `sluice status`, the log and the ' +
      'metrics also show the health.',
  ),
  ping: optional(ping_schema).describe(
    'A GET request to a checker on another machine, regularly while there is no problem. The checker reports if ' +
      'the pings stop, also when this machine is down. Default none.',
  ),
})

const wrong_listen =
  'must be off, or an address of this machine such as 127.0.0.1:9464 or [::1]:9464'

function isLocalPlace(text: string): boolean {
  return isLoopbackHost(hostAndPort(text)?.host ?? '')
}

const listen = z
  .union([off, z.string().refine(isLocalPlace, wrong_listen)], wrong_listen)
  .prefault('off')
  .describe(
    'The address and port of this machine that answer GET /healthz, /readyz and /metrics, such as ' +
      '127.0.0.1:9464. Default off: two instances on one machine cannot share a port, and `sluice status` needs ' +
      'none.',
  )

export const health_schema = z.strictObject({
  listen,
  queue_age_ms: duration('ms', { usual: '6h', min: second_ms, max: 30 * day_ms }).describe(
    'If a file that should be uploaded is not ready after this time, the health has a problem. The number of ' +
      'waiting files does not matter. Default 6h: the files of a day are ready in minutes. A first sync over a ' +
      'slow line may take longer and then shows this problem.',
  ),
  offline_ms: duration('ms', { usual: '15m', min: 0, max: 30 * day_ms }).describe(
    'If a folder is offline for longer than this, the health has a problem. Default 15m: a file server restarts ' +
      'in less. For a disk that is often removed, choose days.',
  ),
  disk_free_bytes: size({ usual: '500MB', min: 0, max: max_bytes }).describe(
    'If the disk of state_dir has less free space than this, the health has a problem. Default 500MB: about the ' +
      'size of a ledger of a million files. Without free space Sluice can record nothing.',
  ),
})
