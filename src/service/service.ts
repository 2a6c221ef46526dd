import { existsSync } from 'node:fs'
import { listen } from '../base/net/http-server.ts'
import { messageOf } from '../base/run/errors.ts'
import { system_clock, within } from '../base/time/time.ts'
import { type RouteId, routes } from '../contract/routes/routes.ts'
import { openGate, originOf } from './address.ts'
import { finishRequests, limitConnections } from './api/connection-limit.ts'
import { assetHandlers } from './api/handlers-assets.ts'
import { chatHandlers } from './api/handlers-chats.ts'
import { projectHandlers } from './api/handlers-projects.ts'
import { labelHandlers, resourceHandlers } from './api/handlers-resources.ts'
import { describeInterface, toYaml } from './api/openapi.ts'
import { describeLimits, describeProfile } from './api/openapi-profile.ts'
import { createApp } from './app.ts'
import { runAnswers } from './assistant/answers.ts'
import { openAssistant } from './assistant/assistant.ts'
import { createBlobStore } from './blobs/blob-store.ts'
import type { BlobFaults } from './blobs/refusals.ts'
import { type InjectedFaults, openFaultInjection } from './fault-injection.ts'
import { limitRequests } from './limits.ts'
import { observeRequests } from './observer.ts'
import { profileOf, type ServiceOptions, settingsFrom } from './options.ts'
import type { Parts } from './parts.ts'
import { runIndexing } from './reading/index-anew.ts'
import { runIngest, runSlotSweep } from './reading/ingest.ts'
import { completeIndex, openDocumentReader, runDocuments } from './reading/ingest-documents.ts'
import { max_close_ms, startReader } from './reading/reader.ts'
import { Programs } from './recognise/programs.ts'
import { runRecognition } from './recognise/run-recognition.ts'
import { removeAsset } from './remove-asset.ts'
import type { Handlers } from './store/access.ts'
import { openStores } from './store/stores.ts'
import { readTls } from './tls/tls-files.ts'

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts the local service. Errors: `config.service`, `http.listen`, `database.…`, `thread.…`. */
export async function startService(options: ServiceOptions) {
  const stop = new AbortController()
  const parts = openParts(options, stop.signal)
  let workers: Workers | undefined

  async function end(): Promise<void> {
    stop.abort()
    if (workers) await within(workers.end(), max_close_ms, system_clock)
    await parts.assistant.close()
    await parts.reader.close()
    await parts.close()
  }

  try {
    // With an index or ready assets, first read what the index lacks. In a new service, the first
    // file or question starts the reading thread, which makes the index.
    const has_index = existsSync(parts.paths.passages) || parts.assets.anyReady()
    if (has_index) await completeIndex(parts)
    workers = startWorkers(parts)
    if (has_index) parts.wake.indexing()
    return await openListeners(parts, workers, end)
  } catch (error) {
    await end()
    throw error
  }
}

function openParts(options: ServiceOptions, signal: AbortSignal): Parts {
  const settings = settingsFrom(options)
  const { clock, log } = settings
  const assistant = openAssistant(settings.assistant, clock, settings.proxy, log)
  const stores = openStores(settings.data_dir, clock)
  return {
    ...stores,
    settings,
    profile: profileOf(settings.profile),
    clock,
    log,
    assistant,
    programs: new Programs(settings.ingest),
    reader: startReader({ ...stores.paths, max_bytes: settings.ingest.max_bytes }),
    injected_faults: openFaultInjection(settings.injected_faults, clock),
    observer: observeRequests(settings.max_logged_requests),
    uploading: new Set(),
    origins: { api: '', blob: '' },
    indexing: { progress: undefined },
    wake: {
      ingest: () => {},
      documents: () => {},
      recognition: () => {},
      indexing: () => {},
      answers: () => {},
    },
    signal,
    on_error: (error) =>
      log(`a background task of the service failed and is tried again: ${messageOf(error)}`),
  }
}

type Workers = ReturnType<typeof startWorkers>

/** Work that no call waits for: reading files, writing answers, removing expired slots. */
function startWorkers(parts: Parts) {
  const { wake } = parts
  const readers = Array.from({ length: parts.settings.ingest.processes }, () =>
    openDocumentReader(parts),
  )
  const documents = runDocuments(parts, readers)
  const ingest = runIngest(parts)
  const recognition = runRecognition(parts)
  const indexing = runIndexing(parts)
  const answers = runAnswers(parts)
  const sweep = runSlotSweep(parts)
  Object.assign(wake, {
    ingest: ingest.wake,
    documents: documents.wake,
    recognition: recognition.wake,
    indexing: indexing.wake,
    answers: answers.wake,
  })

  return {
    readers,
    /** Call it after the signal has aborted. */
    async end(): Promise<void> {
      // The next start reads the interrupted files again.
      await Promise.all(readers.map((reader) => reader.end()))
      const all = [ingest, documents, recognition, indexing, answers, sweep]
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}

/** Opens the API and the blob store. Returns the service for the caller of `startService`. */
async function openListeners(parts: Parts, { readers }: Workers, end: () => Promise<void>) {
  const { settings, profile, observer, injected_faults, origins, clock, log } = parts
  const { listen: host, public_url, public_blob_url } = settings
  const blobFaults: BlobFaults = { count: 0, reasons: [] }
  let description: string | undefined
  const handlers: Handlers<RouteId> = {
    'description.read': () =>
      (description ??= toYaml(
        describeLimits(
          describeProfile(describeInterface(routes, origins.api), profile),
          settings.limits,
        ),
      )),
    ...projectHandlers(parts),
    ...resourceHandlers(parts),
    ...assetHandlers(parts),
    ...labelHandlers(parts),
    ...chatHandlers(parts),
  }
  const limitFor = limitRequests(settings.limits.requests_per_minute, () => clock.monotonic_ms())
  const tls = settings.tls && readTls(settings.tls, clock.now_ms(), log)
  const door = { gate: openGate({ ...settings, certificate: tls?.certificate }), tls: tls?.keys }
  const app = await createApp({ ...parts, ...door, limitFor, handlers })
  const blob_server = createBlobStore({ ...parts, ...door, faults: blobFaults })
  const servers = [app.server, blob_server]
  limitConnections({ api: app.server, blob: blob_server }, { clock, log })
  for (const server of servers) {
    server.on('connection', (socket) => {
      if (injected_faults.current.down) socket.destroy()
    })
  }

  async function closeListeners(): Promise<void> {
    await finishRequests({
      servers,
      in_flight: observer.in_flight,
      grace_ms: settings.close_grace_ms,
      log,
    })
    await app.close()
  }

  /** The origins where the API and the blob store listen. Clients get `origins` (public URLs). */
  const here = { api: '', blob: '' }
  try {
    await parts.files.sweep(parts.objects.names)
    await app.ready()
    const scheme = tls ? 'https' : 'http'
    here.blob = originOf(scheme, host, await listen(blob_server, host, settings.blob_port))
    here.api = originOf(scheme, host, await listen(app.server, host, settings.port))
    Object.assign(origins, { api: public_url ?? here.api, blob: public_blob_url ?? here.blob })
    const { members } = parts.administration
    if (members.address() !== origins.api)
      await parts.commits.write(() => members.setAddress(origins.api))
  } catch (error) {
    await closeListeners()
    throw error
  }

  let closing: Promise<void> | undefined
  return {
    ...here,
    data_dir: settings.data_dir,
    ...parts.administration,
    /** One line about the programs that read scans, pictures and old office files. */
    describePrograms: () => parts.programs.describe(),
    /** Removes an asset, like `DELETE` in the API. Returns false if there is none. */
    removeAsset: (asset_id: string) =>
      removeAsset(parts, () => parts.assets.findAnywhere(asset_id)),
    /** The last requests, oldest first. */
    requestLog: observer.log,
    /** Adds a listener, awaited at this stage of every request. Returns a function to remove it. */
    on: observer.on,
    blobFaults,
    /** Bytes. The most memory that a process that reads documents has used so far. */
    get readingPeak_bytes() {
      return Math.max(...readers.map(({ peak_bytes }) => peak_bytes))
    },
    injectFaults(change: InjectedFaults): void {
      injected_faults.set(change)
      if (change.down) {
        for (const server of servers) server.closeAllConnections()
      }
    },
    /** Lets requests in flight finish (close_grace_ms), then stops everything, once. */
    close(): Promise<void> {
      closing ??= closeListeners().then(end)
      return closing
    },
  }
}
