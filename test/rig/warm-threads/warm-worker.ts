import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads, { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Idle threads of the program serve the next thread that starts, in this test or a later one. To
 * start a thread and load its modules takes 50 ms of processor time, and the tests start thousands.
 * The module itself is evaluated anew each time, with its own data and port. Its imports stay
 * loaded, and keep no state of earlier use. Four kinds of threads start as usual: the first of each
 * kind in a process, those of child processes, and those of the project `alone`. A thread that is
 * terminated during work really ends.
 */

/**
 * The last call of a thread after which it holds no state; true if it never holds any between
 * calls.
 */
const rests_after: Readonly<Record<string, string | true>> = {
  'ledger/thread': 'close',
  'service/reading/reader-thread': 'close',
  'disk/scan/scan-thread': 'rest',
  'disk/root/root-thread': true,
  'disk/read/examine-thread': true,
}
/** Threads of one kind that wait for the next use: as many as a test uses at once. */
const max_kept = 3
/** Time for an idle thread to say that it is idle; after it the thread is terminated. */
const patience_ms = 100

interface Start {
  module: string
  data: unknown
  port: unknown
}

/** A host belongs to no test: the module that it serves announces itself as a thread. */
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

/** The part of a Worker that base/run/thread.ts uses. */
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
    const onAnswer = ({
      has_answered,
      last,
    }: {
      has_answered: boolean
      last: string | undefined
    }) => end(has_answered && (after === true || after === last))
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
