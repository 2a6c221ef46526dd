import { request } from 'node:http'
import type { Client, Slot } from '../fixture.ts'
import { put, until } from '../fixture.ts'

export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Got {
  status: number
  type: string
  text: string
}

/** Sends what `fetch` would not: any Host, a body with GET. */
export function send(origin: string, { method, path, headers, body }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
    const outgoing = request(
      origin + path,
      { method, headers: { ...headers, ...length } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece) => {
          text += piece
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            type: response.headers['content-type'] ?? '',
            text,
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The existing things by kind, so that a call can be about one of them. Missing ones are made. */
export class FuzzWorld {
  readonly client: Client
  readonly #ids = new Map<string, string[]>()
  /** The container of each message and invitation. */
  readonly #within = new Map<string, string>()
  #made = 0

  constructor(client: Client) {
    this.client = client
  }

  any(kind: string, at: number): string | undefined {
    const ids = this.#ids.get(kind) ?? []
    return ids[at % Math.max(1, ids.length)]
  }

  /** Ids of existing things for a path with these parameters; `{}` where it has none. */
  async idsFor(
    names: readonly string[],
    route_id: string,
    at: number,
  ): Promise<Record<string, string>> {
    const kinds = names.map((name) => name.replace(/_id$/, ''))
    const last = kinds.at(-1)
    if (last === undefined) return {}
    if (route_id === 'assets.update') return { asset_id: await this.#readyAsset() }
    if (route_id === 'assets.complete') return { asset_id: await this.#filledSlot() }
    if (last === 'message' || last === 'invitation') {
      const id = await this.#need(last, at)
      return { [`${kinds[0]}_id`]: this.#within.get(id)!, [`${last}_id`]: id }
    }
    const found: Record<string, string> = {}
    for (const kind of kinds) found[`${kind}_id`] = await this.#need(kind, at)
    return found
  }

  /** Adds what was made, and drops what was deleted. */
  learn(
    route_id: string,
    params: Record<string, string>,
    status: number,
    body: Record<string, unknown> | undefined,
  ) {
    if (status === 204) {
      const gone = Object.values(params).at(-1)!
      if (route_id === 'assets.detach_label') return
      for (const ids of this.#ids.values()) if (ids.includes(gone)) ids.splice(ids.indexOf(gone), 1)
      for (const [id, within] of this.#within) if (within === gone) this.#forget(id)
      return
    }
    if (status < 201 || status > 202 || !body) return
    if (typeof body.message_id === 'string')
      this.#keep('message', body.message_id, String(body.chat_id ?? params.chat_id))
    if (typeof body.invitation_id === 'string')
      this.#keep('invitation', body.invitation_id, params.project_id)
    for (const [name, id] of Object.entries(body)) {
      const kind = /^(asset|chat|label|skill|memory|action|session|project)_id$/.exec(name)?.[1]
      if (kind && typeof id === 'string') this.#keep(kind, id)
    }
  }

  #keep(kind: string, id: string, within?: string): void {
    const ids = this.#ids.get(kind) ?? []
    if (!ids.includes(id)) ids.push(id)
    // The oldest are forgotten, so that lists stay short.
    if (ids.length > 30) this.#within.delete(ids.shift()!)
    this.#ids.set(kind, ids)
    if (within !== undefined) this.#within.set(id, within)
  }

  #forget(id: string): void {
    this.#within.delete(id)
    for (const ids of this.#ids.values()) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  }

  async #need(kind: string, at: number): Promise<string> {
    if (this.any(kind, at) === undefined) await this.#make(kind)
    return this.any(kind, at)!
  }

  async #make(kind: string): Promise<void> {
    this.#made += 1
    const name = `made ${this.#made}`
    const within = kind === 'invitation' ? await this.#need('project', 0) : ''
    const bodies: Record<string, [path: string, body: object]> = {
      asset: ['/v1/assets', { filename: name, mime_type: 'text/plain' }],
      chat: ['/v1/chats', { prompt: name }],
      message: ['/v1/chats', { prompt: name }],
      label: ['/v1/labels', { name }],
      project: ['/v1/projects', { name }],
      invitation: [
        `/v1/projects/${within}/invitations`,
        { email: `made${this.#made}@example.org`, role: 'reader' },
      ],
      skill: ['/v1/skills', { name, content: name, scope: 'project', category: 'skill' }],
      memory: ['/v1/memories', { content: name, category: 'fact', importance: 1 }],
      action: ['/v1/actions', { name, prompt: name, trigger: { kind: 'asset_ready' } }],
      session: [
        '/v1/sessions',
        { name, turns: [{ speaker: 1, source: 'mic', text: name, start: 0, end: 1 }] },
      ],
    }
    const [path, body] = bodies[kind]!
    const reply = await this.client.post(path, body)
    this.learn(kind, { project_id: within }, reply.status, reply.body)
  }

  async #filledSlot(): Promise<string> {
    const slot: Slot = await this.client.slot({ filename: 'fuzz.txt' })
    this.#made += 1
    await put(slot, `text ${this.#made}`)
    return slot.asset_id
  }

  #ready: string | undefined

  async #readyAsset(): Promise<string> {
    if (this.#ready !== undefined && this.client.statusOf(this.#ready) === 'ready')
      return this.#ready
    const asset_id = await this.#filledSlot()
    await this.client.post(`/v1/assets/${asset_id}/complete`)
    await until(() => this.client.statusOf(asset_id) === 'ready')
    this.#ready = asset_id
    return asset_id
  }
}
