import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { until } from '../../rig/waiting.ts'
import { type AnswerCheck, answerCheck } from '../../service/described-answers.ts'

/** An implementation of the interface: its address, and a key that owns a project there. */
export interface Target {
  url: string
  token: string
  project_id: string
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the facts read answers of every shape
  body: any
  headers: Headers
}

interface CallOptions {
  body?: unknown
  /** Sent as it is, in place of a JSON body. */
  raw?: string
  /** Replaces the headers that every call has; undefined leaves one out. */
  headers?: Record<string, string | undefined>
}

/** Longer than a healthy implementation takes for a short text or a short question. */
export const patience = { deadline_ms: 30_000 }

/**
 * The calls of the interface as the facts make them. Every answer is checked against the
 * description that the implementation gives of itself.
 */
export class Api {
  readonly #target: Target
  readonly #check: AnswerCheck
  /** Every call made so far, as `GET /v1/assets/…`. */
  readonly calls: string[]

  private constructor(target: Target, check: AnswerCheck, calls: string[]) {
    this.#target = target
    this.#check = check
    this.calls = calls
  }

  static async at(target: Target): Promise<Api> {
    const description = await fetch(`${target.url}/v1/openapi.yaml`)
    return new Api(target, answerCheck(parse(await description.text())), [])
  }

  get project_id(): string {
    return this.#target.project_id
  }

  /** The same API, with a list of calls of its own. */
  alone(): Api {
    return new Api(this.#target, this.#check, [])
  }

  /** The same key in a new, empty project. */
  async elsewhere(): Promise<Api> {
    const { project_id } = await this.make('/v1/projects', { name: 'facts' })
    return new Api({ ...this.#target, project_id }, this.#check, this.calls)
  }

  async call(
    method: string,
    path: string,
    { body, raw, headers = {} }: CallOptions = {},
  ): Promise<Reply> {
    const all: Record<string, string | undefined> = {
      'x-api-key': this.#target.token,
      'x-project-id': this.#target.project_id,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const sent = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    this.calls.push(`${method} ${path}`)
    const response = await fetch(this.#target.url + path, {
      method,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    })
    const answer = await response.text()
    const type = response.headers.get('content-type') ?? ''
    expect(this.#check({ method, url: path, status: response.status, type, body: answer })).toEqual(
      [],
    )
    return {
      status: response.status,
      body: type.includes('json') ? JSON.parse(answer) : answer,
      headers: response.headers,
    }
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, options)
  post = (path: string, body?: unknown, options?: CallOptions) =>
    this.call('POST', path, { ...options, body })
  delete = (path: string, options?: CallOptions) => this.call('DELETE', path, options)

  /** Makes a thing and returns the body of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the facts read answers of every shape
  async make(path: string, body: object): Promise<any> {
    const reply = await this.post(path, body)
    expect([201, 202], `${path} ${JSON.stringify(reply.body)}`).toContain(reply.status)
    return reply.body
  }

  slot(fields: object = {}) {
    return this.make('/v1/assets', { filename: 'fact.txt', mime_type: 'text/plain', ...fields })
  }

  /** Uploads a text and returns its id once it is `ready`. */
  async upload(text: string, filename = 'fact.txt'): Promise<string> {
    const slot = await this.slot({ filename, md5: md5Of(text) })
    expect((await putInto(slot, text)).ok).toBe(true)
    expect((await this.post(`/v1/assets/${slot.asset_id}/complete`)).status).toBe(200)
    await eventually(
      async () => (await this.get(`/v1/assets/${slot.asset_id}`)).body.status === 'ready',
    )
    return slot.asset_id
  }

  /** Asks a question in a new chat and returns the message once it is written. */
  async ask(prompt: string, more: object = {}) {
    const { chat_id, message_id } = await this.make('/v1/chats', { prompt, ...more })
    return { chat_id, message_id, ...(await this.answer(chat_id, message_id)) }
  }

  async answer(
    chat_id: string,
    message_id: string,
  ): Promise<{
    response: string
    status: string
    prompt: string
    calls?: number
    sources?: object[]
    sources_left_out?: number
  }> {
    const path = `/v1/chats/${chat_id}/messages/${message_id}`
    await eventually(async () => (await this.get(path)).body.response !== undefined)
    return (await this.get(path)).body
  }
}

export function putInto(
  slot: { upload_url: string; upload_headers: Record<string, string> },
  text: string,
) {
  return fetch(slot.upload_url, { method: 'PUT', headers: slot.upload_headers, body: text })
}

export function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

let made = 0

/** A word that nothing else in the project has. */
export function freshWord(): string {
  made += 1
  return `word${process.pid}x${made}x${Math.floor(performance.now() * 1_000)}`
}

export function eventually(fact: () => Promise<boolean>): Promise<void> {
  return until('a fact of the service', fact, undefined, patience.deadline_ms)
}

/** The status and code of a refused call. */
export async function refused(reply: Promise<Reply>): Promise<[number, string]> {
  const { status, body } = await reply
  return [status, body.code]
}

export interface Fact {
  /** Begins with the id of the fact in docs/interface.md. */
  title: string
  check: (api: Api) => Promise<void>
}

export function fact(title: string, check: Fact['check']): Fact {
  return { title, check }
}
