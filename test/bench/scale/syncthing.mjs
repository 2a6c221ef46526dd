import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'undici'

const key = 'bench'
const folder = 'bench'
const check_each_ms = 50
const patience_ms = 600_000

/**
 * It listens only on a Unix socket and on loopback, finds no peers, asks for no upgrade and reports
 * nothing.
 */
const config = (socket) => `<configuration version="36">
  <gui enabled="true" tls="false"><address>${socket}</address><apikey>${key}</apikey></gui>
  <options>
    <listenAddress>tcp://127.0.0.1:0</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled>
    <localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled>
    <natEnabled>false</natEnabled>
    <stunServer></stunServer>
    <startBrowser>false</startBrowser>
    <urAccepted>-1</urAccepted>
    <crashReportingEnabled>false</crashReportingEnabled>
    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
    <setLowPriority>false</setLowPriority>
  </options>
</configuration>`

/**
 * Starts a Syncthing of its own, which watches nothing and scans on request.
 * @param {string} home made where it is missing
 */
export async function startSyncthing(home) {
  const socket = join(home, 'gui.sock')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'config.xml'), config(socket), { mode: 0o600 })
  const words = [
    'serve',
    `--home=${home}`,
    '--no-default-folder',
    '--no-browser',
    '--no-restart',
    '--no-upgrade',
  ]
  // STMONITORED stops it from starting a second process that monitors the first one.
  const env = { PATH: process.env.PATH, HOME: home, STNOUPGRADE: '1', STMONITORED: 'yes' }
  const child = spawn('syncthing', words, { stdio: 'ignore', env })
  const exit = once(child, 'exit')
  const client = new Client('http://localhost', { socketPath: socket, headersTimeout: 0 })

  async function call(method, path, body) {
    const headers = { 'x-api-key': key }
    const answer = await client.request({
      method,
      path: `/rest/${path}`,
      headers,
      body: body && JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200)
      throw new Error(`syncthing answered ${answer.statusCode}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** @param {string} what @param {() => Promise<boolean>} isSo */
  async function until(what, isSo) {
    const began = performance.now()
    while (!(await isSo())) {
      if (child.exitCode !== null) throw new Error(`syncthing ended with ${child.exitCode}`)
      if (performance.now() - began > patience_ms)
        throw new Error(`syncthing: ${what} takes too long`)
      await setTimeout(check_each_ms)
    }
  }

  await until('its start', () =>
    call('GET', 'system/ping').then(
      () => true,
      () => false,
    ),
  )
  return {
    /**
     * Adds a folder and hashes it. An existing entry is the marker, so that it makes none.
     * @returns {Promise<void>}
     */
    async add(path, files, markerName) {
      const watching = { fsWatcherEnabled: false, rescanIntervalS: 0 }
      await call('POST', 'config/folders', {
        id: folder,
        path,
        type: 'sendonly',
        markerName,
        ...watching,
      })
      await until('its first scan', async () => {
        const { state, localFiles } = await call('GET', `db/status?folder=${folder}`)
        return state === 'idle' && localFiles === files
      })
    },
    /** Resolves when all files are scanned. */
    rescan: () => call('POST', `db/scan?folder=${folder}`),
    peakMb: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) *
      1.024e-3,
    async stop() {
      child.kill('SIGTERM')
      await exit
      await client.destroy()
    },
  }
}
