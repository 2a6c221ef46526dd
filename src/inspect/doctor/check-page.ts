import { X509Certificate } from 'node:crypto'
import { connect, type NetConnectOpts } from 'node:net'
import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import { hostAndPort } from '../../config/listen.ts'
import { readPageKeys } from '../../config/page-keys.ts'
import { controlSocket } from '../../ledger/file/state-directory.ts'
import { type Check, type DoctorTools, findings } from './check.ts'
import { judgeCertificates } from './check-service.ts'

type PageTools = Pick<DoctorTools, 'config' | 'clock' | 'ledger' | 'isUnresponsive'>

/** Checks the certificate of the page, and tries its address. */
export async function checkPage({
  config,
  clock,
  ledger,
  isUnresponsive,
}: PageTools): Promise<Check[]> {
  const { page, state_dir } = config
  if (page.listen === 'off' || isUnresponsive(page.tls_cert ?? '')) return []
  const find = findings('page', page.listen)
  const { ok, warning, fault } = find
  const checks: Check[] = []
  try {
    const keys = readPageKeys(page)
    const end_ms = keys && Date.parse(new X509Certificate(keys.cert).validTo)
    if (end_ms !== undefined) checks.push(judgeCertificates(find, [end_ms], clock.now_ms()))
  } catch (error) {
    return [fault(messageOf(error), isSluiceError(error) ? error.hint : undefined)]
  }
  if (isProxied(page) && page.proxy.from.length === 0) {
    const text =
      'a proxy passes requests on, as base_url says, and page.proxy.from does not list it: all users count as one client, so wrong passwords of one slow down the others'
    const hint =
      'page: { proxy: { from: [127.0.0.1] } } for a proxy on this machine, which must set X-Forwarded-For'
    checks.push(warning(text, hint))
  }
  const is_running = await answers({ path: controlSocket(state_dir) })
  const is_open = await answers(
    hostAndPort(page.listen) ?? { path: page.listen.slice('unix:'.length) },
  )
  const trouble = is_running ? ledger?.troubles(true)[0] : undefined
  if (trouble) return [...checks, fault(trouble.message, trouble.hint)]
  if (is_running && is_open) return [...checks, ok('it answers')]
  if (is_running) return [...checks, fault('nothing answers there', 'sluice reload')]
  if (is_open)
    return [
      ...checks,
      fault('another program answers there, and no daemon runs', 'change page.listen'),
    ]
  return [...checks, warning('nothing answers there, because no daemon runs', 'sluice run')]
}

/** True if browsers reach `listen` by another address. A socket is for a proxy. */
function isProxied({ base_url, listen, tls_cert }: PageTools['config']['page']): boolean {
  const place = hostAndPort(listen)
  if (base_url === undefined || tls_cert !== undefined || !place) return false
  // Without TLS it is an address of this machine.
  const { protocol, port } = new URL(base_url)
  return protocol === 'https:' || Number(port || 80) !== place.port
}

function answers(where: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(where, () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })
}
