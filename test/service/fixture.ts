import { createHash } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { ProfileName, ServiceOptions } from '../../src/service/options.ts'
import { type Service, startService } from '../rig/local-service.ts'
import { makeStore } from '../rig/tree.ts'
import { until as waitUntil } from '../rig/waiting.ts'
import { checkAnswerOf } from './described-answers.ts'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of every shape
  body: any
  headers: Headers
}

export interface CallOptions {
  body?: unknown
  /** Sent as it is, in place of a JSON body. */
  raw?: string
  headers?: Record<string, string | undefined>
}

export interface Slot {
  asset_id: string
  upload_url: string
  expires_at: string
  upload_headers: Record<string, string>
}

export function temporaryFolder(): string {
  return makeStore()
}

/** A service with a project and a token, closed after the test, and the calls of a client. */
export async function start(options: Partial<ServiceOptions> = {}): Promise<Client> {
  const service = await startService({ data_dir: temporaryFolder(), ...options })
  onTestFinished(() => service.close())
  const project_id =
    service.projects.list()[0]?.project_id ?? service.projects.create('tests').project_id
  const { token } = service.tokens.create(`tests ${service.tokens.list().length}`)
  return new Client(service, project_id, token, options.profile)
}

export class Client {
  readonly service: Service
  readonly project_id: string
  readonly token: string
  /** Every answer must match the service's own description under this profile. */
  readonly #profile: ProfileName

  constructor(
    service: Service,
    project_id: string,
    token: string,
    profile: ProfileName = 'default',
  ) {
    this.service = service
    this.project_id = project_id
    this.token = token
    this.#profile = profile
  }

  /** The same service, seen with another key or project. */
  as(change: { token?: string; project_id?: string }): Client {
    return new Client(
      this.service,
      change.project_id ?? this.project_id,
      change.token ?? this.token,
      this.#profile,
    )
  }

  async call(
    method: string,
    path: string,
    { body, raw, headers = {} }: CallOptions = {},
  ): Promise<Reply> {
    const all: Record<string, string | undefined> = {
      'x-api-key': this.token,
      'x-project-id': this.project_id,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const sent = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(this.service.api + path, {
      method,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    })
    const answer = await response.text()
    const type = response.headers.get('content-type') ?? ''
    // An injected answer need not follow the description.
    if (!answer.includes('comes from the fault injection')) {
      expect(
        checkAnswerOf(this.#profile)({
          method,
          url: path,
          status: response.status,
          type,
          body: answer,
        }),
      ).toEqual([])
    }
    const is_json = type.includes('json')
    return {
      status: response.status,
      body: is_json ? JSON.parse(answer) : answer,
      headers: response.headers,
    }
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, options)
  post = (path: string, body?: unknown, options?: CallOptions) =>
    this.call('POST', path, { ...options, body })
  delete = (path: string, options?: CallOptions) => this.call('DELETE', path, options)

  async slot(fields: { filename?: string; mime_type?: string; md5?: string } = {}): Promise<Slot> {
    const created = await this.post('/v1/assets', {
      filename: 'a.txt',
      mime_type: 'text/plain',
      ...fields,
    })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    return created.body
  }

  /** Takes a file all the way, and returns its id once it is `ready` or `failed`. */
  async upload(
    bytes: string | Buffer,
    filename = 'a.txt',
    mime_type = 'text/plain',
  ): Promise<string> {
    const slot = await this.slot({ filename, mime_type, md5: md5Of(bytes) })
    expect((await put(slot, bytes)).status).toBe(201)
    expect((await this.post(`/v1/assets/${slot.asset_id}/complete`)).status).toBe(200)
    await until(() => ['ready', 'failed'].includes(this.statusOf(slot.asset_id)))
    return slot.asset_id
  }

  /** The status as stored. */
  statusOf(asset_id: string): string {
    return (
      this.service.assets(this.project_id).find((asset) => asset.asset_id === asset_id)?.status ??
      'gone'
    )
  }

  /** Asks in a new chat and returns the message once it is written. */
  async ask(
    prompt: string,
    more: object = {},
  ): Promise<{ chat_id: string; message_id: string; response: string }> {
    const started = await this.post('/v1/chats', { prompt, ...more })
    expect(started.status, JSON.stringify(started.body)).toBe(202)
    const { chat_id, message_id } = started.body
    const response = await this.answer(chat_id, message_id)
    return { chat_id, message_id, response }
  }

  async answer(chat_id: string, message_id: string): Promise<string> {
    let response: string | undefined
    await until(async () => {
      response = (await this.get(`/v1/chats/${chat_id}/messages/${message_id}`)).body.response
      return response !== undefined
    })
    return response!
  }
}

export function put(
  slot: Slot,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response> {
  const bytes = typeof body === 'string' ? body : new Uint8Array(body)
  return fetch(slot.upload_url, {
    method: 'PUT',
    headers: { ...slot.upload_headers, ...headers },
    body: bytes,
  })
}

export function md5Of(bytes: string | Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** `until` of waiting.ts; by default the fact itself is its description. */
export function until(
  fact: () => boolean | Promise<boolean>,
  what = String(fact),
  max_ms?: number,
): Promise<void> {
  return waitUntil(what, fact, undefined, max_ms)
}
