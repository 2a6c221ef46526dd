import { createHttpClient, type HttpTimeouts, type ProxyVariables } from '../base/http-client.ts'
import type { Pulses } from '../base/pulse.ts'
import { type Clock, minute_ms, second_ms } from '../base/time.ts'
import { type Call, type FailureAbout, unknownProtocol } from '../contract/failures.ts'
import { list_limit_most } from '../contract/limits.ts'
import type { Ticket } from '../domain/ticket.ts'
import { parseBaseUrl } from './addresses.ts'
import { type ApiOptions, type ApiRequest, callApi, type Reader } from './api.ts'
import { type AssetRecord, assetRecordOf, type Created, createdOf, type LabelReference, labelOf } from './assets.ts'
import {
  type ChatStarted,
  type ChatSummary,
  chatStartedOf,
  chatSummaryOf,
  type Message,
  type MessageSummary,
  messageAppendedOf,
  messageOf,
  messageSummariesOf,
  type Question,
  questionBody,
} from './chats.ts'
import type { Outcome, Page } from './outcome.ts'
import { listProjects, type ProjectReference } from './projects.ts'
import { putBytes, type UploadBody } from './put-bytes.ts'
import { pageOf } from './translate.ts'

interface PageRequest {
  after_id?: string | undefined
  /** 1 to 100; 100 unless told. */
  limit?: number | undefined
}

/**
 * The service's verbs. None retries, none throws for what the network or the service does: that is an Outcome. Thrown is what is
 * ours: a stream's own error, an empty scope.
 */
export interface Remote {
  createAsset(
    project_id: string,
    asset: { filename: string; mime_type: string; md5?: string },
  ): Promise<Outcome<Created>>
  putBytes(ticket: Ticket, body: UploadBody, signal?: AbortSignal): Promise<Outcome<void>>
  completeAsset(project_id: string, asset_id: string): Promise<Outcome<AssetRecord>>
  readAsset(project_id: string, asset_id: string): Promise<Outcome<AssetRecord>>
  listAssets(project_id: string, page: PageRequest): Promise<Outcome<Page<AssetRecord>>>
  attachLabel(project_id: string, asset_id: string, label_name: string): Promise<Outcome<{ label_id: string }>>
  /** An asset or a label that is gone counts as detached. */
  detachLabel(project_id: string, asset_id: string, label_id: string): Promise<Outcome<void>>
  /** 404: the service does not know it, which may mean that it is gone, or the call. */
  removeAsset(project_id: string, asset_id: string): Promise<Outcome<void>>
  /** All that the token reaches. */
  listProjects(): Promise<Outcome<ProjectReference[]>>
  /** All of them. */
  listLabels(project_id: string): Promise<Outcome<LabelReference[]>>
  /**
   * Not idempotent: a failed one may have started a chat, unless `isSurelyUndone(failure)`. A question as text is sent to the
   * letter. 404: an id in its scope is gone.
   */
  startChat(project_id: string, question: Question | string): Promise<Outcome<ChatStarted>>
  /** The next turn of a chat, judged like the start of one. 404: the chat, or an id in its scope, is gone. */
  appendMessage(project_id: string, chat_id: string, question: Question | string): Promise<Outcome<MessageSummary>>
  readMessage(project_id: string, chat_id: string, message_id: string): Promise<Outcome<Message>>
  listChats(project_id: string, page: PageRequest): Promise<Outcome<Page<ChatSummary>>>
  listMessages(project_id: string, chat_id: string): Promise<Outcome<MessageSummary[]>>
  /** Ends what is under way. */
  close(): Promise<void>
}

export interface RemoteOptions {
  base_url: string
  /** Asked for every request. A SluiceError that it throws becomes a failure of the account. */
  token: () => string
  /** Connections to one host, API and blob store each. */
  connections: number
  ca?: string | undefined
  proxy?: ProxyVariables | undefined
  timeouts?: Partial<HttpTimeouts> | undefined
  user_agent: string
  clock: Clock
  /** Told of each request that ended: the call, and ok or what the failure is about. */
  on_outcome?: ((call: Call, outcome: 'ok' | FailureAbout) => void) | undefined
  pulses?: Pulses | undefined
}

const default_timeouts: HttpTimeouts = {
  /** A handshake over the worst line takes seconds; more is a firewall that swallows packets. */
  connect_ms: 15 * second_ms,
  /** Gateways give up on their service after a minute; shortly after that their 504 is here. */
  answer_ms: 75 * second_ms,
  body_ms: minute_ms,
  /** TCP itself retries for longer, but a line that took nothing for a minute is better tried anew. */
  stall_ms: minute_ms,
}

/** The largest answers are pages of 100 assets with labels, and an answer in a chat: a tenth of this. */
const max_body_bytes = 8 * 1_048_576

/** 10,000 labels: nobody chooses from more, and a list without end is a fault. */
const label_pages_most = 100

/** Errors: `config.base_url`, `network.proxy_address`. */
export function createRemote(options: RemoteOptions): Remote {
  const { token, user_agent, clock, on_outcome } = options
  const base = parseBaseUrl(options.base_url)
  const timeouts = { ...default_timeouts, ...options.timeouts }
  const { connections, ca, proxy, pulses } = options
  const http = createHttpClient({ connections, ca, proxy, timeouts, max_body_bytes, clock, pulses })
  const api: ApiOptions = { http, base, token, user_agent, clock }
  const noted = async <T>(call: Call, outcome: Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const ended = await outcome
    on_outcome?.(call, ended.ok ? 'ok' : ended.failure.about)
    return ended
  }
  const send = <T>(request: ApiRequest, read: Reader<T>) => noted(request.call, callApi(api, request, read))

  return {
    createAsset: (project_id, { filename, mime_type, md5 }) => {
      const body = { filename, mime_type, ...(md5 === undefined ? {} : { md5 }) }
      return send({ call: 'create', method: 'POST', project_id, segments: ['assets'], body }, createdOf)
    },
    putBytes: (ticket, body, signal) => noted('put', putBytes(http, clock, ticket, body, signal)),
    completeAsset: (project_id, asset_id) =>
      send({ call: 'complete', method: 'POST', project_id, segments: ['assets', asset_id, 'complete'] }, (value) =>
        // The contract allows an empty success: the bytes were taken, and where they stand is read later.
        value === undefined ? { asset_id, status: 'other', raw_status: '' } : assetRecordOf(value, asset_id),
      ),
    readAsset: (project_id, asset_id) =>
      send({ call: 'read', method: 'GET', project_id, segments: ['assets', asset_id] }, (value) =>
        assetRecordOf(value, asset_id),
      ),
    listAssets: (project_id, page) =>
      send({ call: 'list', method: 'GET', project_id, segments: ['assets'], query: pageQuery(page) }, (value) =>
        pageOf(value, 'asset', page.after_id, (item) => assetRecordOf(item)),
      ),
    attachLabel: (project_id, asset_id, label_name) => attachLabel(send, project_id, asset_id, label_name),
    detachLabel: async (project_id, asset_id, label_id) => {
      const segments = ['assets', asset_id, 'labels', label_id]
      const request = { call: 'detach', method: 'DELETE', project_id, segments, any_body: true } as const
      const outcome = await send(request, () => undefined)
      return outcome.ok || outcome.failure.about !== 'asset_gone' ? outcome : { ok: true, value: undefined }
    },
    removeAsset: (project_id, asset_id) =>
      send(
        { call: 'remove', method: 'DELETE', project_id, segments: ['assets', asset_id], any_body: true },
        () => undefined,
      ),
    listProjects: () => listProjects(send, list_limit_most),
    listLabels: (project_id) => listLabels(send, project_id),
    startChat: async (project_id, question) =>
      send(
        { call: 'chat', method: 'POST', project_id, segments: ['chats'], body: questionBody(question) },
        chatStartedOf,
      ),
    appendMessage: async (project_id, chat_id, question) => {
      const segments = ['chats', chat_id, 'messages']
      const body = questionBody(question)
      return send({ call: 'chat', method: 'POST', project_id, segments, body }, messageAppendedOf)
    },
    readMessage: (project_id, chat_id, message_id) => {
      const segments = ['chats', chat_id, 'messages', message_id]
      return send({ call: 'message', method: 'GET', project_id, segments }, (value) => messageOf(value, message_id))
    },
    listChats: (project_id, page) =>
      send({ call: 'list', method: 'GET', project_id, segments: ['chats'], query: pageQuery(page) }, (value) =>
        pageOf(value, 'chat', page.after_id, chatSummaryOf),
      ),
    listMessages: (project_id, chat_id) =>
      send(
        { call: 'message', method: 'GET', project_id, segments: ['chats', chat_id, 'messages'] },
        messageSummariesOf,
      ),
    close: () => http.close(),
  }
}

type Send = <T>(request: ApiRequest, read: Reader<T>) => Promise<Outcome<T>>

async function attachLabel(
  send: Send,
  project_id: string,
  asset_id: string,
  label_name: string,
): Promise<Outcome<{ label_id: string }>> {
  const segments = ['assets', asset_id, 'labels']
  const request: ApiRequest = { call: 'attach', method: 'POST', project_id, segments, body: { label_name } }
  const attached = await send(request, (value) => (value === undefined ? undefined : labelOf(value)))
  if (!attached.ok) return attached
  if (attached.value) return { ...attached, value: { label_id: attached.value.label_id } }
  // An empty success: the id, which detaching needs, stands in the list.
  const labels = await listLabels(send, project_id)
  if (!labels.ok) return labels
  const label = labels.value.find(({ name }) => name === label_name)
  if (!label) return { ok: false, failure: unknownProtocol('attach', 'it was taken, but the label is not there') }
  return { ...attached, value: { label_id: label.label_id } }
}

async function listLabels(send: Send, project_id: string): Promise<Outcome<LabelReference[]>> {
  const labels: LabelReference[] = []
  let after_id: string | undefined
  for (let page = 0; page < label_pages_most; page++) {
    const cursor = after_id
    const query = pageQuery({ after_id })
    const request: ApiRequest = { call: 'list', method: 'GET', project_id, segments: ['labels'], query }
    const outcome = await send(request, (value) => pageOf(value, 'label', cursor, labelOf))
    if (!outcome.ok) return outcome
    labels.push(...outcome.value.items)
    after_id = outcome.value.next
    if (after_id === undefined) return { ...outcome, value: labels }
  }
  return {
    ok: false,
    failure: unknownProtocol('list', `the list of labels does not end after ${label_pages_most} pages`),
  }
}

function pageQuery({ after_id, limit = list_limit_most }: PageRequest) {
  return { limit, after_id }
}
