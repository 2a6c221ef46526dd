import { z } from 'zod'
import { isLoopbackHost } from '../base/loopback.ts'
import { duration, size } from './fields.ts'

const second_ms = 1_000
const minute_ms = 60_000
const day_ms = 86_400_000
const wrong_listen = 'must be off, or an address of this machine such as 127.0.0.1:9464 or [::1]:9464'

function isLoopbackAddress(text: string): boolean {
  const { host = '', port } = /^(?<host>\[[\da-f:]+\]|[\d.]+):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {}
  return isLoopbackHost(host) && Number(port) <= 65_535
}

const listen = z
  .union(
    [
      z.literal(['off', false], { error: wrong_listen }).transform(() => 'off' as const),
      z.string({ error: wrong_listen }).refine(isLoopbackAddress, { error: wrong_listen }),
    ],
    { error: wrong_listen },
  )
  .prefault('off')
  .meta({
    description:
      'Where GET /healthz, /readyz and /metrics are answered: an address of this machine with a port, such as 127.0.0.1:9464. ' +
      'Default off: two instances on one machine would fight for a fixed port, and `sluice status` needs none.',
  })

export const health_schema = z.strictObject({
  listen,
  look_ms: duration('ms', {
    usual: '10s',
    least: 10,
    most: 10 * minute_ms,
    about: 'How often the daemon judges its health. Default 10s: a look is a few rows, and scrapes come every 15 s.',
  }),
  scan_late_ms: duration('ms', {
    usual: '1h',
    least: second_ms,
    most: 30 * day_ms,
    about:
      'A folder that was not looked through completely for longer than its rescan_interval_ms and this is stale. Default 1h: ' +
      'the scan of a slow share takes its time.',
  }),
  queue_age_ms: duration('ms', {
    usual: '6h',
    least: second_ms,
    most: 30 * day_ms,
    about:
      'A file that has waited for longer than this, from its first wish to go up until it is ready, is stale; how many wait does ' +
      'not matter. Default 6h: a day’s files pass in minutes, a first sync over a slow line may take longer and says so.',
  }),
  offline_ms: duration('ms', {
    usual: '15m',
    least: 0,
    most: 30 * day_ms,
    about:
      'A folder that is away for longer than this is told. Default 15m: a file server restarts in less. For a disk that is often ' +
      'taken away choose days.',
  }),
  unreachable_ms: duration('ms', {
    usual: '15m',
    least: 0,
    most: 30 * day_ms,
    about:
      'A service or blob store that cannot be used for longer than this is told; a refused token or project at once. Default 15m: ' +
      'updates and short outages pass in less.',
  }),
  audit_late_ms: duration('ms', {
    usual: '1d',
    least: second_ms,
    most: 30 * day_ms,
    about:
      'A project whose last full audit is older than the time for a round and this is stale. Default 1d: a round that an ' +
      'outage cut off has a day to be made up.',
  }),
  prompt_late_ms: duration('ms', {
    usual: '15m',
    least: second_ms,
    most: 30 * day_ms,
    about:
      'A prompt has missed its time when nothing is written or skipped after its wait_for_files, the time that its answer may take, ' +
      'and this. Default 15m: enough for a second try.',
  }),
  disk_free_bytes: size({
    usual: '500MB',
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    about:
      'Less free space than this where state_dir lies is told. Default 500MB: about what the ledger of a million files takes, and ' +
      'without room nothing can be recorded.',
  }),
})
