import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'

export const asked_at_once = 8

/** The calls of the local service that these measurements need. */
export class ServiceClient {
  ready = 0
  #pool
  #blobs
  #headers

  constructor({ api, blob, token, project_id }) {
    this.#pool = new Pool(api, { connections: asked_at_once })
    this.#blobs = new Pool(blob, { connections: asked_at_once })
    this.#headers = {
      'x-api-key': token,
      'x-project-id': project_id,
      'content-type': 'application/json',
    }
  }

  async call(path, body, project_id = this.#headers['x-project-id']) {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { ...this.#headers, 'x-project-id': project_id }
    const sent = body === null ? undefined : body && JSON.stringify(body)
    if (sent === undefined) delete headers['content-type']
    const answer = await this.#pool.request({ path, method, headers, body: sent })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Uploads a folder, and waits until all of it was read. */
  async takeIn(project_id, folder) {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
      .sort()
    const files = []
    for (const name of names) files.push(await this.#upload(project_id, folder, name))
    for (const file of files) {
      for (;;) {
        const { status } = await this.call(`/v1/assets/${file.asset_id}`, undefined, project_id)
        if (status === 'ready') this.ready++
        if (status === 'ready' || status === 'failed') break
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    return files
  }

  async #upload(project_id, folder, name) {
    const bytes = readFileSync(join(folder, name))
    const md5 = createHash('md5').update(bytes).digest('hex')
    const about = { filename: name, mime_type: 'application/octet-stream', md5 }
    const slot = await this.call('/v1/assets', about, project_id)
    const { pathname, search } = new URL(slot.upload_url)
    const headers = { ...slot.upload_headers }
    const put = await this.#blobs.request({
      method: 'PUT',
      path: pathname + search,
      headers,
      body: bytes,
    })
    await put.body.dump()
    await this.call(`/v1/assets/${slot.asset_id}/complete`, null, project_id)
    return { asset_id: slot.asset_id, name, size: bytes.length }
  }

  /** Asks, and returns the message once it is answered. */
  async answer(body) {
    const { chat_id, message_id } = await this.call('/v1/chats', body)
    for (;;) {
      const message = await this.call(`/v1/chats/${chat_id}/messages/${message_id}`)
      if (message.status === 'done') return message
      if (message.status !== 'running') throw new Error(`the turn ended in ${message.status}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async close() {
    await Promise.all([this.#pool.close(), this.#blobs.close()])
  }
}
