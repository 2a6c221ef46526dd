// Measures the throughput of the local service by hand: node test/service/throughput.mjs [files]
// [connections]. Needs `npm run build` first. A bare undici client makes the three calls for files
// of 4 KB, each different, against a service in a process of its own.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'

const files = Number(process.argv[2] ?? 20_000)
const connections = Number(process.argv[3] ?? 16)
const folder = mkdtempSync(join(tmpdir(), 'sluice-throughput-'))

const child_script = join(folder, 'service.mjs')
writeFileSync(
  child_script,
  `import { openSqliteReadOnly } from ${JSON.stringify(new URL('../../dist/base/files/sqlite.js', import.meta.url).href)}
   import { startService } from ${JSON.stringify(new URL('../../dist/service/service.js', import.meta.url).href)}
   const service = await startService({ data_dir: ${JSON.stringify(join(folder, 'data'))}, max_logged_requests: 0 })
   const { project_id } = service.projects.create('throughput')
   const { token } = service.tokens.create('throughput')
   console.log(JSON.stringify({ api: service.api, blob: service.blob, token, project_id }))
   process.on('SIGTERM', async () => {
     const database = openSqliteReadOnly(${JSON.stringify(join(folder, 'data', 'service.db'))}, 'any format')
     const cpu = process.cpuUsage()
     const ready = database.prepare(\`SELECT count(*) FROM assets WHERE status = 'ready'\`).pluck().get()
     database.close()
     console.log(JSON.stringify({ ready, faults: service.blobFaults.count, cpu_s: (cpu.user + cpu.system) / 1e6, rss_mb: process.memoryUsage().rss / 1e6 }))
     await service.close()
   })`,
)
const child = spawn(process.execPath, [child_script], { stdio: ['ignore', 'pipe', 'inherit'] })
const { api, blob, token, project_id } = JSON.parse((await once(child.stdout, 'data'))[0])

/** Texts of random words, different in every file. */
const words = Array.from({ length: 5_000 }, (_, at) =>
  hash('md5', `word ${at}`)
    .replace(/\d/g, '')
    .slice(0, 3 + (at % 8)),
)
function textOf(file) {
  let text = `file ${file}. `
  while (text.length < 4_096)
    text += `${words[Math.floor(words.length * Math.random() ** 2)]}${Math.random() < 0.1 ? '.\n\n' : ' '}`
  return Buffer.from(text.slice(0, 4_096))
}
const bodies = Array.from({ length: files }, (_, file) => textOf(file))

const api_pool = new Pool(api, { connections, pipelining: 1 })
const blob_pool = new Pool(blob, { connections, pipelining: 1 })
const headers = { 'x-api-key': token, 'x-project-id': project_id }

async function send(body, name) {
  const wanted = JSON.stringify({ filename: name, mime_type: 'text/plain', md5: hash('md5', body) })
  const create = {
    path: '/v1/assets',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: wanted,
  }
  const slot = await (await api_pool.request(create)).body.json()
  const { pathname, search } = new URL(slot.upload_url)
  const put = { path: pathname + search, method: 'PUT', headers: slot.upload_headers, body }
  const stored = await blob_pool.request(put)
  await stored.body.dump()
  const complete = { path: `/v1/assets/${slot.asset_id}/complete`, method: 'POST', headers }
  const done = await api_pool.request(complete)
  await done.body.dump()
  if (stored.statusCode !== 201 || done.statusCode !== 200)
    throw new Error(`${stored.statusCode}, ${done.statusCode}`)
}

let next = 0
async function worker() {
  while (next < files) {
    const file = next++
    await send(bodies[file], `file-${file}.txt`)
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: connections }, worker))
const sent_s = (performance.now() - began) / 1_000
const cpu = process.cpuUsage()
await Promise.all([api_pool.close(), blob_pool.close()])
child.kill('SIGTERM')
const [report] = await once(child.stdout, 'data')
await once(child, 'exit')
rmSync(folder, { recursive: true })
const result = {
  files,
  connections,
  seconds: sent_s,
  files_per_s: files / sent_s,
  client_cpu_s: (cpu.user + cpu.system) / 1e6,
}
console.log(JSON.stringify({ ...result, service: JSON.parse(report) }))
