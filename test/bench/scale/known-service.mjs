// A service that holds many assets from the beginning (all-ready.mjs), all of them ready, and
// accepts more: it answers the three calls of an upload at once. It lists its assets for audits. It
// runs in the process that measures, so that both have one clock.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { assetId } from '../rig/all-ready.mjs'

export const known_project_id = `project_${'n'.repeat(20)}`
const token = `pat_${'n'.repeat(32)}`
const asset_in = /\/(asset_\d{20})/

/** @param {number} known assets */
export async function startKnownService(known) {
  let assets = known
  const calls = { pages: 0, other: 0 }
  const uploads = new Map()
  const heard = new Set()

  const blob = await listen(async (request, answer) => {
    await text(request)
    uploads.get(asset_in.exec(request.url)[1]).put_ms = Date.now()
    answer(201)
  })
  const api = await listen(async (request, answer) => {
    const url = new URL(request.url, 'http://service')
    const is_page = request.method === 'GET' && url.pathname.endsWith('/assets')
    calls[is_page ? 'pages' : 'other'] += 1
    const asset_id = asset_in.exec(url.pathname)?.[1]
    if (is_page) answer(200, page(assets, url.searchParams))
    else if (request.method === 'GET')
      answer(200, asset_id ? recordOf(asset_id) : { data: [], has_more: false })
    else if (url.pathname.endsWith('/complete')) {
      const upload = { ...uploads.get(asset_id), complete_ms: Date.now() }
      uploads.delete(asset_id)
      answer(200, { asset_id, status: 'ready', already_exists: false })
      for (const listener of heard) listener(upload)
    } else {
      const slot = newSlot(assets++)
      uploads.set(slot.asset_id, { filename: JSON.parse(await text(request)).filename })
      answer(201, slot)
    }
  })

  function newSlot(number) {
    const asset_id = assetId(number)
    const upload_headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain' }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const upload_url = `${blob.url}/${asset_id}?signature=none`
    return {
      asset_id,
      already_exists: false,
      upload_url,
      upload_method: 'PUT',
      upload_headers,
      expires_at,
    }
  }

  return {
    api: api.url,
    token,
    project_id: known_project_id,
    calls,
    /**
     * The next completed upload: its filename and the times at which the PUT and `complete` had
     * arrived, by Date.now().
     * @returns {Promise<{ filename: string, put_ms: number, complete_ms: number }>}
     */
    nextUpload() {
      return new Promise((resolve) => {
        const listener = (upload) => {
          heard.delete(listener)
          resolve(upload)
        }
        heard.add(listener)
      })
    },
    close: () => Promise.all([api.close(), blob.close()]),
  }
}

/** Newest first, as in the contract. @param {number} assets @param {URLSearchParams} query */
function page(assets, query) {
  const after_id = query.get('after_id')
  const from = after_id === null ? assets - 1 : Number(after_id.slice('asset_'.length)) - 1
  const to = Math.max(-1, from - Number(query.get('limit') ?? 20))
  const data = []
  for (let number = from; number > to; number--) data.push(recordOf(assetId(number)))
  return {
    data,
    has_more: to >= 0,
    ...(data.length === 0 ? {} : { last_id: data.at(-1).asset_id }),
  }
}

function recordOf(asset_id) {
  const about = {
    filename: `${asset_id}.txt`,
    mime_type: 'text/plain',
    size_in_bytes: 4_096,
    labels: [],
  }
  return { asset_id, status: 'ready', created_at: '2026-01-01T00:00:00.000Z', ...about }
}

/** @param {(request: import('node:http').IncomingMessage, answer: (status: number, body?: unknown) => void) => unknown} handle */
async function listen(handle) {
  const server = createServer((request, response) => {
    const answer = (status, body) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      // A handler that does not need the body has not read it.
      request.resume()
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    }
    handle(request, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
