import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads, { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Threads of the program that have come to rest serve the next one that is started, in this test or a later one: starting one and
 * loading its modules takes 50 ms of processor time, and the tests start thousands. The module itself is evaluated anew each time,
 * with data and a port of its own; what it imports stays, and keeps nothing of whom it served. The first of each kind in a process,
 * those of processes of their own and of the project `alone` are started as ever, and one that is ended in the middle of
 * something really ends.
 */

/** The last call of one that holds nothing any more; true where it never holds anything between calls. */
const rests_after: Readonly<Record<string, string | true>> = {
  'ledger/thread': 'close',
  'service/reading/reader-thread': 'close',
  'disk/scan/scan-thread': 'rest',
  'disk/root/root-thread': true,
  'disk/read/examine-thread': true,
}
/** So many of one kind wait for the next use: as many as a test has at once. */
const max_kept = 3
/** How long one that is at rest may take to say so; one that hangs is ended after it. */
const patience_ms = 100

interface Start {
  module: string
  data: unknown
  port: unknown
}

/** Nobody's: what it serves is told of as a thread of its own. */
class Host extends Worker {
  readonly kind: string

  constructor(kind: string, resourceLimits: WorkerOptions['resourceLimits']) {
    super(new URL('./host.mjs', import.meta.url), resourceLimits ? { resourceLimits } : {})
    this.kind = kind
  }

  get is_host(): true {
    return true
  }
}

const kept = new Map<string, Host[]>()

/** As much of a Worker as base/run/thread.ts uses. */
class WarmWorker extends EventEmitter {
  readonly #host: Host
  readonly #name: string
  #ended: Promise<number> | undefined
  readonly #onError = (error: Error) => this.emit('error', error)
  readonly #onExit = (code: number) => this.emit('exit', code)

  constructor(host: Host, name: string, start: Start, transfer: WorkerOptions['transferList']) {
    super()
    this.#host = host
    this.#name = name
    host.on('error', this.#onError)
    host.on('exit', this.#onExit)
    host.ref()
    host.postMessage({ start }, transfer ?? [])
    channel('worker_threads').publish({ worker: this })
  }

  ref(): void {
    this.#host.ref()
  }

  unref(): void {
    this.#host.unref()
  }

  terminate(): Promise<number> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<number> {
    const host = this.#host
    if (!(await isAtRest(host, rests_after[this.#name]!))) return host.terminate()
    host.off('error', this.#onError)
    host.off('exit', this.#onExit)
    host.unref()
    const others = kept.get(host.kind) ?? []
    if (others.length >= max_kept) await host.terminate()
    else kept.set(host.kind, [...others, host])
    this.emit('exit', 1)
    return 1
  }
}

function isAtRest(host: Host, after: string | true): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      clearTimeout(timer)
      host.off('message', onAnswer)
      host.off('exit', onExit)
      resolve(answer)
    }
    const onAnswer = ({ has_answered, last }: { has_answered: boolean; last: string | undefined }) =>
      end(has_answered && (after === true || after === last))
    const onExit = () => end(false)
    const timer = setTimeout(end, patience_ms, false)
    host.on('message', onAnswer)
    host.on('exit', onExit)
    host.postMessage({})
  })
}

function takeHost(name: string, limits: WorkerOptions['resourceLimits']): Host {
  const kind = `${name} ${JSON.stringify(limits)}`
  return kept.get(kind)?.pop() ?? new Host(kind, limits)
}

threads.Worker = new Proxy(Worker, {
  construct(real, [file, options = {}]: [string | URL, WorkerOptions?]) {
    const { name = '', workerData, transferList, resourceLimits } = options
    if (!(name in rests_after)) return new real(file, options)
    const start = { module: String(file), data: workerData.data, port: workerData.port }
    return new WarmWorker(takeHost(name, resourceLimits), name, start, transferList)
  },
})
syncBuiltinESMExports()
