import {
  createHttpClient,
  type HttpTimeouts,
  type ProxyVariables,
} from '../base/net/http-client.ts'
import type { Heartbeats } from '../base/run/heartbeat.ts'
import { type Clock, minute_ms, second_ms } from '../base/time/time.ts'
import { type Call, type FailureAbout, unknownProtocol } from '../contract/failures.ts'
import type { IdKind } from '../contract/identifiers.ts'
import { max_list_limit } from '../contract/limits.ts'
import type { Ticket } from '../domain/asset.ts'
import { type ApiOptions, type ApiRequest, callApi, parseBaseUrl, type Reader } from './api.ts'
import { type AssetRecord, assetRecordOf, createdOf, labelOf, projectOf } from './assets.ts'
import {
  chatStartedOf,
  chatSummaryOf,
  messageAppendedOf,
  messageOf,
  messagePageOf,
  type Question,
  questionBody,
  skillOf,
} from './chats.ts'
import { ofCursor, walkList } from './list-place.ts'
import { type Outcome, type Page, pageOf } from './outcome.ts'
import { putBytes, type UploadBody } from './put-bytes.ts'

interface PageRequest {
  after_id?: string | undefined
  /** 1 to 100; absent: 100. */
  limit?: number | undefined
}

export type Remote = ReturnType<typeof createRemote>

export interface RemoteOptions {
  base_url: string
  /** Called for every request: a rotated token works at once. Its error is an account failure. */
  token: () => string
  /** Connections per host, for the API and the blob store each. */
  connections: number
  ca?: string | undefined
  proxy?: ProxyVariables | undefined
  timeouts?: Partial<HttpTimeouts> | undefined
  user_agent: string
  clock: Clock
  /** Called after each request, with `ok` or the kind of failure. */
  on_outcome?: ((call: Call, outcome: 'ok' | FailureAbout) => void) | undefined
  heartbeats?: Heartbeats | undefined
}

const default_timeouts: HttpTimeouts = {
  /** A handshake over the worst line takes seconds; a longer one is a firewall's doing. */
  connect_ms: 15 * second_ms,
  /** Gateways time out after a minute, and their 504 arrives shortly after. */
  answer_ms: 75 * second_ms,
  body_ms: minute_ms,
  /** TCP retries for longer, but a line that took nothing for a minute needs a new attempt. */
  stall_ms: minute_ms,
}

/** The largest answers (pages of 100 assets with labels, chat answers) need a tenth of this. */
const max_body_bytes = 8 * 1_048_576

const list_calls = {
  asset: 'list',
  chat: 'chats',
  label: 'labels',
  project: 'projects',
  skill: 'skills',
} as const satisfies Partial<Record<IdKind, Call>>

/** 10,000 labels, projects, skills or messages; a longer list is taken as a fault. */
const max_pages = 100

/**
 * The calls of the service. They never retry, and throw only local faults: a stream's own error, an
 * empty scope. Errors: `config.base_url`, `network.proxy_address`.
 */
export function createRemote({
  base_url,
  token,
  user_agent,
  clock,
  on_outcome,
  timeouts,
  ...client
}: RemoteOptions) {
  const base = parseBaseUrl(base_url)
  const http = createHttpClient({
    ...client,
    timeouts: { ...default_timeouts, ...timeouts },
    max_body_bytes,
    clock,
  })
  const api: ApiOptions = { http, base, token, user_agent, clock }

  async function noted<T>(call: Call, outcome: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const ended = await outcome
    on_outcome?.(call, ended.ok ? 'ok' : ended.failure.about)
    return ended
  }

  function send<T>(request: ApiRequest, read: Reader<T>): Promise<Outcome<T>> {
    return noted(request.call, callApi(api, request, read))
  }

  function remove(
    call: Call,
    project_id: string,
    segments: readonly string[],
  ): Promise<Outcome<void>> {
    return send({ call, method: 'DELETE', project_id, segments, any_body: true }, () => undefined)
  }

  async function list<Item>(
    kind: keyof typeof list_calls,
    project_id: string | undefined,
    { after_id, limit = max_list_limit }: PageRequest,
    itemOf: (item: unknown) => Item,
  ): Promise<Outcome<Page<Item>>> {
    const request = {
      method: 'GET',
      project_id,
      segments: [`${kind}s`],
      query: { limit, after_id },
    } as const
    const read = (value: unknown) => pageOf(value, kind, after_id, itemOf)
    return ofCursor(await send({ call: list_calls[kind], ...request }, read), after_id)
  }

  /** Gathers a whole list. */
  async function gather<Item>(
    readPage: (after_id: string | undefined) => Promise<Outcome<Page<Item>>>,
    idOf: (item: Item) => string,
  ): Promise<Outcome<Item[]>> {
    const items: Item[] = []
    for await (const page of walkList(readPage, idOf, max_pages)) {
      if (!page.ok) return page
      if (page.value.is_anew) items.length = 0
      items.push(...page.value.items)
      if (!page.value.has_more) return { ...page, value: items }
    }
    const failure = unknownProtocol('list', `it does not end after ${max_pages} pages`)
    return { ok: false, failure }
  }

  function listLabels(project_id: string) {
    const readPage = (after_id: string | undefined) =>
      list('label', project_id, { after_id }, labelOf)
    return gather(readPage, ({ label_id }) => label_id)
  }

  return {
    createAsset(project_id: string, body: { filename: string; mime_type: string; md5?: string }) {
      return send(
        { call: 'create', method: 'POST', project_id, segments: ['assets'], body },
        createdOf,
      )
    },
    putBytes(ticket: Ticket, body: UploadBody, signal?: AbortSignal) {
      return noted('put', putBytes(http, clock, ticket, body, signal))
    },
    completeAsset(project_id: string, asset_id: string) {
      const segments = ['assets', asset_id, 'complete']
      return send<AssetRecord>(
        { call: 'complete', method: 'POST', project_id, segments },
        (value) =>
          // The contract allows an empty success. A later call reads the status.
          value === undefined
            ? { asset_id, status: 'other', raw_status: '' }
            : assetRecordOf(value, asset_id),
      )
    },
    readAsset(project_id: string, asset_id: string) {
      const segments = ['assets', asset_id]
      return send({ call: 'read', method: 'GET', project_id, segments }, (value) =>
        assetRecordOf(value, asset_id),
      )
    },
    listAssets: (project_id: string, page: PageRequest) =>
      list('asset', project_id, page, (item) => assetRecordOf(item)),
    async attachLabel(
      project_id: string,
      asset_id: string,
      label_name: string,
    ): Promise<Outcome<{ label_id: string }>> {
      const segments = ['assets', asset_id, 'labels']
      const request = {
        call: 'attach',
        method: 'POST',
        project_id,
        segments,
        body: { label_name },
      } as const
      const attached = await send(request, (value) =>
        value === undefined ? undefined : labelOf(value),
      )
      if (!attached.ok) return attached
      if (attached.value) return { ...attached, value: { label_id: attached.value.label_id } }
      // After an empty success, the list gives the id that detaching needs.
      const labels = await listLabels(project_id)
      if (!labels.ok) return labels
      const label = labels.value.find(({ name }) => name === label_name)
      if (!label)
        return {
          ok: false,
          failure: unknownProtocol('attach', 'it was taken, but the label is not there'),
        }
      return { ...attached, value: { label_id: label.label_id } }
    },
    /** A missing asset or label counts as detached. */
    async detachLabel(
      project_id: string,
      asset_id: string,
      label_id: string,
    ): Promise<Outcome<void>> {
      const outcome = await remove('detach', project_id, ['assets', asset_id, 'labels', label_id])
      return outcome.ok || outcome.failure.about !== 'asset_gone'
        ? outcome
        : { ok: true, value: undefined }
    },
    /** The name that the service shows then; undefined if its answer does not say. */
    renameAsset(
      project_id: string,
      asset_id: string,
      name: string,
    ): Promise<Outcome<string | undefined>> {
      const segments = ['assets', asset_id]
      return send(
        { call: 'rename', method: 'POST', project_id, segments, body: { name } },
        (value) => (value === undefined ? undefined : assetRecordOf(value, asset_id).shown_name),
      )
    },
    /** A 404 may mean that the asset is gone, or that the service does not know this call. */
    removeAsset: (project_id: string, asset_id: string) =>
      remove('remove', project_id, ['assets', asset_id]),
    listProjects() {
      const readPage = (after_id: string | undefined) =>
        list('project', undefined, { after_id }, projectOf)
      return gather(readPage, (project) => project.project_id)
    },
    listLabels,
    /** A failed call may have started a chat (see isSurelyUndone). 404: an id in scope is gone. */
    async startChat(project_id: string, question: Question | string) {
      const body = questionBody(question)
      return send(
        { call: 'chat', method: 'POST', project_id, segments: ['chats'], body },
        chatStartedOf,
      )
    },
    /** The next turn of a chat, judged like its start. 404: the chat or an id in scope is gone. */
    async appendMessage(project_id: string, chat_id: string, question: Question | string) {
      const segments = ['chats', chat_id, 'messages']
      const body = questionBody(question)
      return send({ call: 'chat', method: 'POST', project_id, segments, body }, messageAppendedOf)
    },
    readMessage(project_id: string, chat_id: string, message_id: string) {
      const segments = ['chats', chat_id, 'messages', message_id]
      return send({ call: 'message', method: 'GET', project_id, segments }, (value) =>
        messageOf(value, message_id),
      )
    },
    titleChat(project_id: string, chat_id: string, title: string): Promise<Outcome<void>> {
      const segments = ['chats', chat_id]
      const request = { method: 'POST', project_id, segments, body: { title } } as const
      return send({ call: 'chat_title', ...request, any_body: true }, () => undefined)
    },
    /** A 404 may mean that the chat is gone, or that the service does not know this call. */
    removeChat: (project_id: string, chat_id: string) =>
      remove('chat_remove', project_id, ['chats', chat_id]),
    listSkills(project_id: string) {
      const readPage = (after_id: string | undefined) =>
        list('skill', project_id, { after_id }, skillOf)
      return gather(readPage, ({ skill_id }) => skill_id)
    },
    listChats: (project_id: string, page: PageRequest) =>
      list('chat', project_id, page, chatSummaryOf),
    listMessages(project_id: string, chat_id: string) {
      const request = {
        call: 'message',
        method: 'GET',
        project_id,
        segments: ['chats', chat_id, 'messages'],
      } as const
      const readPage = async (after_id: string | undefined) => {
        const read = (value: unknown) => messagePageOf(value, after_id)
        return ofCursor(await send({ ...request, query: { after_id } }, read), after_id)
      }
      return gather(readPage, ({ message_id }) => message_id)
    },
    close: () => http.close(),
  }
}
