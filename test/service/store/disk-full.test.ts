import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'

/** A shell line in a mount namespace of its own, with a small disk at $1. */
const on_small_disk = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=24m,mode=0700 tmpfs "$1" && shift && exec "$@"',
  'sh',
]

const built = (module: string) =>
  JSON.stringify(new URL(`../../../dist/${module}.js`, import.meta.url).href)

/** Prints what happened before the disk was full, while it was, and after. */
const script = `
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteReadOnly } from ${built('base/files/sqlite')}
import { startService } from ${built('service/service')}

const disk = process.argv[2]
const data_dir = join(disk, 'service')
const filler = join(disk, 'filler')
const lines = []
// These are read and answered only when the disk is full.
const delays = { ingest: { delay_ms: 1_500 }, answer_delay_ms: 1_500 }
const service = await startService({ data_dir, log: (line) => lines.push(line), ...delays })
const { project_id } = service.projects.create('small')
const { token } = service.tokens.create('small')
const headers = { 'x-api-key': token, 'x-project-id': project_id, 'content-type': 'application/json' }
const odd = []
const refused = { put: 0, call: 0 }
async function call(method, path, body) {
  const answer = await fetch(service.api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const value = await answer.json()
  if (answer.ok) return value
  refused.call++
  if (answer.status !== 500 || value.code !== 'publicapi.internal.failed') odd.push([method, path, answer.status, value])
  return undefined
}
async function put(slot, bytes) {
  const answer = await fetch(slot.upload_url, { method: 'PUT', headers: slot.upload_headers, body: bytes })
  const text = await answer.text()
  if (answer.ok) return true
  refused.put++
  if (answer.status !== 500 || !text.includes('InternalError')) odd.push(['PUT', answer.status, text])
  return false
}
const slotFor = (filename) => call('POST', '/v1/assets', { filename, mime_type: 'text/plain' })
const accepted = []
const asked = []
/** Sends a file and a question. Answers with a 2xx are remembered, and must stay true. */
async function send(name, bytes) {
  const slot = await slotFor(name)
  if (slot && (await put(slot, bytes)) && (await call('POST', '/v1/assets/' + slot.asset_id + '/complete'))) accepted.push(slot.asset_id)
  const started = await call('POST', '/v1/chats', { prompt: 'Which heron stands in ' + name + '?' })
  if (started) asked.push(started)
}
const until = async (fact, what) => {
  const began = performance.now()
  while (!(await fact())) {
    if (performance.now() - began > 150_000) throw new Error(what + ' did not come: ' + lines.slice(-5).join(' | '))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const statusOf = async (asset_id) => (await call('GET', '/v1/assets/' + asset_id))?.status
const answerOf = ({ chat_id, message_id }) => call('GET', '/v1/chats/' + chat_id + '/messages/' + message_id)
const settled = async () => {
  await until(async () => (await Promise.all(accepted.map(statusOf))).every((status) => status === 'ready'), 'every file is ready')
  await until(async () => (await Promise.all(asked.map(answerOf))).every(({ status }) => status === 'done'), 'every answer is written')
}
const text = (name, size) => Buffer.from(('Of ' + name + ': the heron stands in the reeds. ').repeat(Math.ceil(size / 40)))
const objects = () => readdirSync(join(data_dir, 'objects')).length

const kept = await Promise.all(Array.from({ length: 6 }, (_, at) => slotFor('kept ' + at)))
await send('before.txt', text('before', 100_000))
await settled()
await send('waiting.txt', text('waiting', 100_000))
for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(size))
  } catch {}
}
const before = objects()
for (const [at, slot] of kept.entries()) await put(slot, text('kept', at % 2 ? 2_000_000 : 20_000))
// The database's log has some space of its own.
for (let at = 0; refused.call < 6 && at < 100; at++) await send('full ' + at, text('full ' + at, 20_000))
await until(() => lines.filter((line) => line.includes('failed and is tried again')).length >= 3, 'a fault of reading and one of answering')
const while_full = { ...refused, known: await statusOf(accepted[0]), left: objects() - before, accepted: accepted.length, asked: asked.length }
rmSync(filler)
await settled()
for (const [at, slot] of kept.entries()) {
  if (!(await put(slot, text('kept ' + at, 200_000)))) continue
  if (await call('POST', '/v1/assets/' + slot.asset_id + '/complete')) accepted.push(slot.asset_id)
}
await settled()
const in_scope = { asset_ids: [accepted.at(-1)] }
asked.push(await call('POST', '/v1/chats', { prompt: 'Where does the heron stand?', scope: in_scope }))
await settled()
const last = (await answerOf(asked.at(-1))).response
const answers = { accepted_since: accepted.length - while_full.accepted, last: last.includes('Of kept 5: the heron') }
const database = openSqliteReadOnly(join(data_dir, 'service.db'), 'any format')
const of_objects = 'FROM assets JOIN objects ON objects.asset = assets.seq WHERE assets.size_in_bytes > 65536'
const named = database.prepare('SELECT count(*) ' + of_objects).pluck().get()
database.close()
console.log(JSON.stringify({ odd, while_full, answers, objects: objects(), named }))
await service.close()
`

test('on a full disk answered work stays, refused work leaves nothing, and everything continues when there is space', async (context) => {
  const disk = makeTree()
  const probe = spawnSync(on_small_disk[0]!, [...on_small_disk.slice(1), disk, 'true'], {
    encoding: 'utf8',
  })
  if (probe.status !== 0) {
    console.warn(
      `skipped: a small disk cannot be mounted here (${probe.stderr?.trim() || probe.error?.message})`,
    )
    context.skip()
  }
  const program = join(makeTree(), 'full.mjs')
  writeFileSync(program, script)
  const words = [...on_small_disk.slice(1), disk, process.execPath, program, disk]
  const child = spawn(on_small_disk[0]!, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(0)
  const { odd, while_full, answers, objects, named } = JSON.parse(said.join(''))
  console.log(`while the disk was full: ${JSON.stringify(while_full)}`)
  expect(odd).toEqual([])
  expect(while_full).toMatchObject({ known: 'ready' })
  expect([while_full.put >= 3, while_full.call >= 6, while_full.left]).toEqual([true, true, 0])
  expect(answers).toEqual({ accepted_since: 6, last: true })
  expect(objects).toBe(named)
}, 240_000)
