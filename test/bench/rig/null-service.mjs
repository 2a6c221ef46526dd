// A service that does nothing: it answers the three calls of an upload at once and remembers none
// of them. Every completed asset is ready. It shows how fast a client is without a wait. It prints
// its addresses as one line of JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'

const project_id = `project_${'n'.repeat(20)}`
const token = `pat_${'n'.repeat(32)}`
const empty_page = JSON.stringify({ data: [], has_more: false })
let slots = 0

const blob = await listen((_method, _path, answer) => answer(201))
const api = await listen((method, path, answer) => {
  const completed = /^\/v1\/assets\/(asset_[a-z0-9]{20})\/complete$/.exec(path)
  if (completed)
    answer(200, JSON.stringify({ asset_id: completed[1], status: 'ready', already_exists: false }))
  else if (method === 'POST') answer(201, JSON.stringify(newSlot()))
  else answer(200, empty_page)
})
console.log(JSON.stringify({ api, blob, token, project_id }))
process.once('SIGTERM', () => process.exit())

function newSlot() {
  const asset_id = `asset_${String(slots++).padStart(20, '0')}`
  const upload_headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain' }
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const upload_url = `${blob}/${asset_id}?signature=none`
  return {
    asset_id,
    already_exists: false,
    upload_url,
    upload_method: 'PUT',
    upload_headers,
    expires_at,
  }
}

/** @param {(method: string, path: string, answer: (status: number, body?: string) => void) => void} handle */
async function listen(handle) {
  const server = createServer((request, response) => {
    request.resume().once('end', () =>
      handle(request.method, request.url, (status, body = '') => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        })
        response.end(body)
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}
