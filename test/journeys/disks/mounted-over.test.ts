import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { localJourneys } from '../rig/harness.ts'

const may_mount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
if (!may_mount)
  console.log(
    'skipped: a disk mounted over a folder, because mount namespaces are not allowed here',
  )

const files = 20

/**
 * Prints the files of the ledger before, while and after a tmpfs with one other file covers them,
 * and the PUTs.
 */
const script = `
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createLog } from '${builtModule('base/text/log')}'
import { openSqliteReadOnly } from '${builtModule('base/files/sqlite')}'
import { ledger_migrations } from '${builtModule('ledger/file/ledger-file')}'
import { system_clock } from '${builtModule('base/time/time')}'
import { configFromObject } from '${builtModule('config/load')}'
import { openSecrets } from '${builtModule('config/secrets')}'
import { startDaemon } from '${builtModule('daemon/daemon')}'
import { startService } from '${builtModule('service/service')}'
const [place, profile] = process.argv.slice(2)
const service = await startService({ data_dir: place + '/service', profile })
const { project_id } = service.projects.create('mounts')
writeFileSync(place + '/token', service.tokens.create('mounts').token, { mode: 0o600 })
const root = place + '/docs'
const config = configFromObject({
  service: { base_url: service.api, project_id, token_file: place + '/token' },
  state_dir: place + '/state',
  folders: [{ name: 'docs', path: root, settle_ms: '100ms' }],
}, {})
const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
const daemon = await startDaemon({ config, secrets: openSecrets(config, {}).secrets, clock: system_clock, log, mode: 'run' })
const view = openSqliteReadOnly(place + '/state/ledger.db', ledger_migrations)
const count = view.prepare(\`SELECT count(*) FROM files JOIN contents ON contents.id = content
  WHERE files.state = 'present' AND contents.state = 'ready'\`).pluck()
const why = view.prepare('SELECT offline_reason FROM folders').pluck()
const until = async (fact) => { while (!fact()) await system_clock.sleep(20) }
const mounted = (...mount) => { if (spawnSync(mount[0], mount.slice(1)).status !== 0) throw new Error(mount.join(' ')); daemon.rescan('docs') }
const puts = () => service.requestLog.filter(({ place }) => place === 'put').length
await until(() => count.get() === ${files})
mounted('mount', '-t', 'tmpfs', 'none', root)
writeFileSync(root + '/stray.txt', 'the wrong disk')
daemon.rescan('docs')
await until(() => /another disk .* waiting/.test(why.get() ?? '') || count.get() !== ${files})
const covered = { ready: count.get(), why: why.get() }
mounted('umount', root)
await until(() => why.get() === null)
await daemon.idle()
console.log(JSON.stringify({ covered, ready: count.get(), puts: puts() }))
await daemon.stop()
view.close()
await service.close()
`

localJourneys('a mount namespace', (profile) => {
  test.skipIf(!may_mount)(
    'a disk is mounted over the folder and unmounted again: no file is lost',
    () => {
      const tree = Object.fromEntries(
        Array.from({ length: files }, (_, file) => [`docs/${file}.txt`, `text ${file}`]),
      )
      const place = makeTree({ ...tree, 'service/': '' })
      const file = join(place, 'mounts.mjs')
      writeFileSync(file, script)
      const child = spawnSync('unshare', ['-Urm', process.execPath, file, place, profile], {
        encoding: 'utf8',
        timeout: 50_000,
      })
      expect(JSON.parse(child.stdout || JSON.stringify(child.stderr))).toEqual({
        covered: {
          ready: files,
          why: expect.stringMatching(/^another disk is mounted here, or none: \d+ of 20 files/),
        },
        ready: files,
        puts: files,
      })
    },
  )
})
