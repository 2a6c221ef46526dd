// The least that a client can do: node bare-client.mjs FOLDER API TOKEN PROJECT CONNECTIONS. It
// reads and hashes every file and makes the three calls for it, without memory, check, retry or
// report. Sluice is compared with its rate.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'

const [folder, api, token, project_id, connections] = process.argv.slice(2)
const options = { connections: Number(connections), pipelining: 1 }
const service = new Pool(api, options)
const headers = { 'x-api-key': token, 'x-project-id': project_id }
/** @type {Pool | undefined} */
let blobs

const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .values()

/** @param {import('undici').Dispatcher.ResponseData} answer @param {number} status */
async function bodyOf(answer, status) {
  const text = await answer.body.text()
  if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${text}`)
  return text
}

/** @param {string} path */
async function send(path) {
  const body = readFileSync(path)
  const wanted = {
    filename: path.slice(folder.length + 1),
    mime_type: 'text/plain',
    md5: hash('md5', body),
  }
  const created = await service.request({
    path: '/v1/assets',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  })
  const { asset_id, upload_url, upload_headers } = JSON.parse(await bodyOf(created, 201))
  const { origin, pathname, search } = new URL(upload_url)
  blobs ??= new Pool(origin, options)
  await bodyOf(
    await blobs.request({ path: pathname + search, method: 'PUT', headers: upload_headers, body }),
    201,
  )
  await bodyOf(
    await service.request({ path: `/v1/assets/${asset_id}/complete`, method: 'POST', headers }),
    200,
  )
}

async function sendOn() {
  for (const path of paths) await send(path)
}
await Promise.all(Array.from({ length: options.connections }, sendOn))
await Promise.all([service.close(), blobs?.close()])
