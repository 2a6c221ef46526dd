import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { messageOf } from '../base/errors.ts'
import { listen } from '../base/http-server.ts'
import { type RouteId, routes } from '../contract/routes.ts'
import { keepGate, originOf } from './address.ts'
import { runAnswers } from './answers.ts'
import { createApp } from './app.ts'
import { type BadDays, type BadDaysJudge, judgeBadDays } from './bad-days.ts'
import type { BlobFaults } from './blob-faults.ts'
import { createBlobStore } from './blob-store.ts'
import { completeIndex } from './complete-index.ts'
import { limitConnections } from './connection-limit.ts'
import { finishRequests } from './finish-requests.ts'
import type { Handlers } from './handler.ts'
import { type AssetParts, assetHandlers, removeAsset } from './handlers-assets.ts'
import { chatHandlers } from './handlers-chats.ts'
import { labelHandlers } from './handlers-labels.ts'
import { projectHandlers } from './handlers-projects.ts'
import { resourceHandlers } from './handlers-resources.ts'
import { transcriptHandlers } from './handlers-transcript.ts'
import { runIngest } from './ingest.ts'
import { type DocumentReader, openDocumentReader, runDocuments } from './ingest-documents.ts'
import { type InsideView, lookInside } from './inside.ts'
import type { Limits } from './limit-options.ts'
import { observeRequests, type RequestEntry, type Stage, type StageListener } from './observer.ts'
import { type OpenedAssistant, openAssistant } from './open-assistant.ts'
import { describeInterface } from './openapi.ts'
import { describeLimits } from './openapi-limits.ts'
import { describeProfile } from './openapi-profile.ts'
import { type ServiceOptions, type Settings, settingsFrom } from './options.ts'
import { type Profile, profileOf } from './profile.ts'
import { limitRequests } from './rate-limit.ts'
import { startReader } from './reader.ts'
import { runSlotSweep } from './slot-sweep.ts'
import { type Administration, openStores, type Stores } from './stores.ts'
import { readTls } from './tls-files.ts'
import { toYaml } from './yaml-text.ts'

export interface Service extends InsideView, Administration {
  /** Origin of the API, where it listens. */
  readonly api: string
  /** Origin of the blob store, where it listens. */
  readonly blob: string
  readonly data_dir: string
  /** The last requests, oldest first. */
  readonly requestLog: readonly RequestEntry[]
  /** Calls the listener at this stage of every request, and waits for it; answers how to take it off again. */
  on(stage: Stage, listener: StageListener): () => void
  readonly blobFaults: BlobFaults
  /** The most memory that a process which reads documents has taken so far. */
  readonly readingPeak_bytes: number
  setBadDays(change: BadDays): void
  /** Lets requests in flight finish (close_grace_ms), then stops everything; twice is once. */
  close(): Promise<void>
}

/** Starts the local service. Errors: `config.service`, `http.listen`, `database.…`. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const settings = settingsFrom(options)
  const assistant = openAssistant(settings.assistant, settings.clock, settings.proxy)
  const stores = openStores(settings.data_dir, settings.clock)
  const bad_days = judgeBadDays(settings.bad_days, () => settings.clock.monotonic_ms())
  const running = startWorkers(settings, stores, assistant, bad_days)
  try {
    if (hasIndex(stores)) await completeIndex(running.reader, running.openDocuments, settings.log)
    running.indexIsComplete()
    return await openDoors(settings, stores, running, bad_days)
  } catch (error) {
    await running.end()
    throw error
  }
}

/** A new service starts the thread that reads, and makes the index, with the first file or question. */
function hasIndex({ paths, assets }: Stores): boolean {
  return existsSync(paths.passages) || assets.anyReady()
}

/** What works without being asked: reading files, writing answers, removing dead slots. */
interface Running {
  reader: ReturnType<typeof startReader>
  openDocuments: () => DocumentReader
  documents: readonly DocumentReader[]
  uploading: Set<string>
  asset_parts: AssetParts & { blob: { origin: string } }
  wakeAnswers: () => void
  indexIsComplete: () => void
  end(): Promise<void>
}

function startWorkers(settings: Settings, stores: Stores, opened: OpenedAssistant, bad_days: BadDaysJudge): Running {
  const { clock, log, answer_delay_ms } = settings
  const { paths } = stores
  const stop = new AbortController()
  const on_error = (error: unknown) => log(`the service tries again after a fault: ${messageOf(error)}`)
  const common = { ...stores, clock, log, on_error, signal: stop.signal }
  const reader = startReader({
    database: paths.database,
    passages: paths.passages,
    objects: paths.objects,
    max_bytes: settings.ingest.max_bytes,
  })
  const openDocuments = () => openDocumentReader({ ...common, reader, settings: settings.ingest })
  const documents = Array.from({ length: settings.ingest.processes }, openDocuments)
  const document_workers = runDocuments(common, documents)
  const ingest = runIngest({ ...common, reader, settings: settings.ingest, wakeDocuments: document_workers.wake })
  let indexIsComplete = () => {}
  const indexed = new Promise<void>((resolve) => {
    indexIsComplete = resolve
  })
  const answers = runAnswers({
    ...common,
    indexed,
    ...opened,
    reader,
    answer_delay_ms,
    fails: () => bad_days.failsAnswer(),
  })
  const uploading = new Set<string>()
  const blob = { origin: '' }
  const asset_parts = {
    ...common,
    settings,
    profile: profileOf(settings.profile),
    blob,
    blobOrigin: () => blob.origin,
    wakeIngest: ingest.wake,
  }
  const sweep = runSlotSweep({ ...asset_parts, uploading })

  return {
    reader,
    openDocuments,
    documents,
    uploading,
    asset_parts,
    wakeAnswers: answers.wake,
    indexIsComplete,
    async end() {
      stop.abort()
      // Who waits for it ends with the signal.
      indexIsComplete()
      // What they read is read again at the next start.
      await Promise.all(documents.map((one) => one.end()))
      await Promise.all([ingest.ended, document_workers.ended, answers.ended, sweep.ended])
      await opened.close()
      await reader.close()
      await stores.close()
    },
  }
}

/** The two listeners, and the service as its owner sees it. */
async function openDoors(
  settings: Settings,
  stores: Stores,
  running: Running,
  bad_days: BadDaysJudge,
): Promise<Service> {
  const { clock, log, listen: host } = settings
  const { asset_parts, uploading, wakeAnswers } = running
  const { profile } = asset_parts
  const observer = observeRequests(settings.request_log_most)
  const blobFaults: BlobFaults = { count: 0, reasons: [] }
  /** Where it listens; `api.origin` and that of the blob store are what others are told. */
  const here = { api: '', blob: '' }
  const api = { origin: '' }
  const handlers: Handlers<RouteId> = {
    ...descriptionHandlers(api, settings.limits, profile),
    ...projectHandlers({ ...stores, clock, apiOrigin: () => api.origin }),
    ...resourceHandlers({ ...stores, clock }),
    ...transcriptHandlers(stores),
    ...assetHandlers(asset_parts),
    ...labelHandlers({ ...stores, profile, clock }),
    ...chatHandlers({ ...stores, profile, clock, answer_delay_ms: settings.answer_delay_ms, wakeAnswers }),
  }
  const { limits, onAnswer, silence_ms } = settings
  const limitFor = limitRequests(limits.requests_per_minute, () => clock.monotonic_ms())
  const tls = settings.tls && readTls(settings.tls, clock.now_ms(), log)
  const gate = keepGate({ ...settings, certificate: tls?.certificate })
  const common = { ...stores, observer, bad_days, gate, tls: tls?.keys, silence_ms, clock, log }
  const app = await createApp({ ...common, profile, limits, limitFor, handlers, onAnswer })
  const behind_proxy = settings.public_blob_url !== undefined
  const blob_server = createBlobStore({ ...common, faults: blobFaults, uploading, behind_proxy })
  const servers = [app.server, blob_server]
  limitConnections({ api: app.server, blob: blob_server }, { clock, log })
  for (const server of servers) refuseWhenDown(server, () => bad_days.current.down ?? false)

  async function closeDoors(): Promise<void> {
    await finishRequests({ servers, in_flight: observer.in_flight, grace_ms: settings.close_grace_ms, log })
    await app.close()
  }

  try {
    await stores.files.sweep(stores.objects.names)
    await app.ready()
    const scheme = tls ? 'https' : 'http'
    here.blob = originOf(scheme, host, await listen(blob_server, host, settings.blob_port))
    here.api = originOf(scheme, host, await listen(app.server, host, settings.port))
    asset_parts.blob.origin = settings.public_blob_url ?? here.blob
    api.origin = settings.public_url ?? here.api
  } catch (error) {
    await closeDoors()
    throw error
  }

  let closing: Promise<void> | undefined
  return {
    ...here,
    data_dir: settings.data_dir,
    ...stores.administration,
    requestLog: observer.log,
    on: observer.on,
    blobFaults,
    get readingPeak_bytes() {
      return Math.max(...running.documents.map(({ peak_bytes }) => peak_bytes))
    },
    ...lookInside(stores, (asset_id) => removeAsset(asset_parts, () => stores.assets.findAnywhere(asset_id))),
    setBadDays(change) {
      bad_days.set(change)
      if (change.down) for (const server of servers) server.closeAllConnections()
    },
    close() {
      closing ??= closeDoors().then(() => running.end())
      return closing
    },
  }
}

function descriptionHandlers(api: { origin: string }, limits: Limits, profile: Profile): Handlers<'description.read'> {
  let text = ''
  return {
    'description.read': () => {
      text ||= toYaml(describeLimits(describeProfile(describeInterface(routes, api.origin), profile), limits))
      return { status: 200, body: text }
    },
  }
}

function refuseWhenDown(server: Server, isDown: () => boolean): void {
  server.on('connection', (socket) => {
    if (isDown()) socket.destroy()
  })
}
