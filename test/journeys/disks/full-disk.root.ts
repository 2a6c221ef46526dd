import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { fullOrPart, localJourneys } from '../rig/harness.ts'
import { mayMount } from './mounted-daemon.ts'

const has_tmpfs = mayMount('tmpfs')

/**
 * The state lies on a small tmpfs, in a mount namespace. The script prints the ready files before
 * and after the disk was full.
 */
const script = `
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createLog } from '${builtModule('base/text/log')}'
import { openSqliteReadOnly } from '${builtModule('base/files/sqlite')}'
import { system_clock } from '${builtModule('base/time/time')}'
import { constants } from '${builtModule('config/schema/constants')}'
import { configFromObject } from '${builtModule('config/load')}'
import { openSecrets } from '${builtModule('config/secrets')}'
import { startDaemon } from '${builtModule('daemon/daemon')}'
import { ledger_migrations } from '${builtModule('ledger/file/ledger-file')}'
import { startService } from '${builtModule('service/service')}'
const [place, profile, files, full_ms] = process.argv.slice(2)
const state_dir = place + '/state'
for (const name of ['docs', 'state']) mkdirSync(place + '/' + name, { mode: 0o700 })
const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0700', 'none', state_dir])
if (status !== 0) throw new Error(String(stderr))
for (let n = 0; n < Number(files); n++) writeFileSync(place + '/docs/' + n + '.txt', 'text ' + n)
const service = await startService({ data_dir: place + '/service', profile })
const { project_id } = service.projects.create('full')
writeFileSync(place + '/token', service.tokens.create('full').token, { mode: 0o600 })
Object.assign(constants.follow, { first_ms: 20, max_ms: 200 })
Object.assign(constants.uploads, { retry_first_ms: 20, max_retry_ms: 200 })
const config = configFromObject({
  service: { base_url: service.api, project_id, token_file: place + '/token' },
  state_dir,
  folders: [{ name: 'docs', path: place + '/docs', settle_ms: '100ms' }],
  uploads: { concurrency: 2 },
}, {})
const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => {} } })
const daemon = await startDaemon({ config, secrets: openSecrets(config, {}).secrets, clock: system_clock, log, mode: 'run' })
const view = openSqliteReadOnly(state_dir + '/ledger.db', ledger_migrations)
const ready = view.prepare("SELECT count(*) FROM contents WHERE state = 'ready'").pluck()
while (ready.get() === 0) await system_clock.sleep(20)
const ballast = openSync(state_dir + '/ballast', 'w')
try {
  for (;;) writeSync(ballast, Buffer.alloc(4096))
} catch (error) {
  if (error.code !== 'ENOSPC') throw error
}
closeSync(ballast)
await system_clock.sleep(Number(full_ms))
const trouble = daemon.ledgerTrouble()?.error.code
const ready_before = ready.get()
rmSync(state_dir + '/ballast')
await daemon.idle()
console.log(JSON.stringify({ trouble, all_before: ready_before === Number(files), ready: ready.get(), trouble_after: daemon.ledgerTrouble() ?? null }))
view.close()
await daemon.stop()
await service.close()
`

// With the hosted profile, a slot whose record was lost is a dead reservation with a long wait,
// which other tests cover.
localJourneys('a state disk that is full for a while', () => {
  test.skipIf(!has_tmpfs)(
    'every file becomes ready soon after there is space again, without a restart',
    () => {
      const place = makeTree({ 'service/': '' })
      const file = join(place, 'full.mjs')
      writeFileSync(file, script)
      const files = 150
      const args = ['-m', '--propagation', 'private', process.execPath, file, place, 'default']
      const numbers = [files, fullOrPart(8_000, 1_500)].map(String)
      const child = spawnSync('unshare', [...args, ...numbers], {
        encoding: 'utf8',
        timeout: 58_000,
      })
      expect(JSON.parse(child.stdout || JSON.stringify(child.stderr))).toEqual({
        trouble: 'database.full',
        all_before: false,
        ready: files,
        trouble_after: null,
      })
    },
  )
})
