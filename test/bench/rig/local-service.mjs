// The local service in a process of its own: node local-service.mjs DATA_DIR [md5s|ASSISTANT_FILE].
// It prints its addresses as one line of JSON, and after SIGTERM what it holds; with `md5s` also the
// md5 of every ready asset. ASSISTANT_FILE configures the assistant.
import { join } from 'node:path'
import { openSqliteReadOnly } from '../../../dist/base/files/sqlite.js'
import { startService } from '../../../dist/service/service.js'

// Bytes that are only stored are no text, and each asset would give a line.
const log = (line) =>
  line.endsWith('the service does not read this kind of file') || console.error(line)
const [, , data_dir, more] = process.argv
const assistant_config = more === 'md5s' ? undefined : more
const service = await startService({ data_dir, max_logged_requests: 0, log, assistant_config })
const { project_id } = service.projects.list()[0] ?? service.projects.create('bench')
const { token } = service.tokens.create('bench')
console.log(JSON.stringify({ api: service.api, blob: service.blob, token, project_id }))

process.once('SIGTERM', async () => {
  const database = openSqliteReadOnly(join(data_dir, 'service.db'), 'any format')
  const assets = database.prepare('SELECT status, md5 FROM assets ORDER BY seq').all()
  database.close()
  const accepted = assets.filter(
    ({ status }) => status === 'ready' || status === 'ingesting',
  ).length
  const ready = assets.filter(({ status }) => status === 'ready')
  const md5s = more === 'md5s' ? ready.map(({ md5 }) => md5) : undefined
  const blob_faults = service.blobFaults.count
  console.log(
    JSON.stringify({ assets: assets.length, accepted, ready: ready.length, blob_faults, md5s }),
  )
  await service.close()
})
