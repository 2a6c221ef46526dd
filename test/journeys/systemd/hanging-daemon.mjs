// A daemon as `sluice run` starts it, except for its ledger: from the first content to follow on,
// it never answers claims to follow. Everything else works: the event loop, the other workers,
// their calls of the ledger. Only the first start hangs.
import { existsSync, writeFileSync } from 'node:fs'

const built = '/usr/local/lib/node_modules/sluice/dist'
const load = (module) => import(`${built}/${module}.js`)
const { createHeartbeats } = await load('base/run/heartbeat')
const { aborted, system_clock: clock } = await load('base/time/time')
const { loadConfig } = await load('config/load')
const { openSecrets } = await load('config/secrets')
const { startDaemon } = await load('daemon/daemon')
const { reportToServiceManager } = await load('cli/daemon/service-manager')
const { openLog } = await load('cli/daemon/open')
const { listenForStop } = await load('cli/daemon/stop-signals')

const { config } = loadConfig()
const { secrets } = openSecrets(config)
const log = openLog(config, { is_interactive: false })
const heartbeats = createHeartbeats(clock)
const mark = `${config.state_dir}/has-hung`

function wrap_ledger(ledger) {
  const claimToFollow = async (...words) => {
    const claimed = await ledger.claimToFollow(...words)
    if (claimed.work.length === 0 || existsSync(mark)) return claimed
    writeFileSync(mark, '')
    return new Promise(() => {})
  }
  return new Proxy(ledger, {
    get: (target, name) => (name === 'claimToFollow' ? claimToFollow : target[name]),
  })
}

const signals = listenForStop()
const daemon = await startDaemon({
  config,
  secrets,
  clock,
  log,
  mode: 'run',
  heartbeats,
  wrap_ledger,
})
const manager = reportToServiceManager({ daemon, heartbeats, log })
await manager.started(secrets, signals.first)
setInterval(() => log.info('the event loop lives'), 1_000).unref()
await aborted(signals.first)
await manager.stopping('stopping')
await daemon.stop()
signals.end()
