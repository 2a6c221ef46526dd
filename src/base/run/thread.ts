import {
  MessageChannel,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  type Transferable,
  Worker,
  workerData,
} from 'node:worker_threads'
import { messageOf, toPlainError } from './errors.ts'
import { type AnswerMessage, type CallMessage, OpenCalls } from './open-calls.ts'

/** A module that serves calls in a thread, by `serveCalls` or `serveBatches`. */
export interface Thread {
  /** The argument is copied after this returns: do not change it before the answer. */
  call<Result>(method: string, argument: unknown): Promise<Result>
  /** Ends the thread now. Calls in flight reject with `thread.ended`. */
  terminate(): Promise<void>
}

/**
 * `module`: a path below src/ without extension, such as `ledger/thread`. `young_mb` limits the
 * memory for young objects: Node's default takes up to 50 MB for short-lived ones and is no faster.
 */
export function startThread(
  module: string,
  data: unknown = undefined,
  { young_mb }: { young_mb?: number } = {},
): Thread {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(builtModule(module), {
    workerData: { port: port2, data },
    transferList: [port2],
    name: module,
    ...(young_mb === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: young_mb } }),
  })
  // Idle threads keep no process alive; a call in flight and its thread do. The port of a dying
  // thread closes before the thread's `exit` event. Without `worker.ref()`, a process with nothing
  // else to wait for would end silently in between.
  const hold = (is_idle: boolean) => {
    for (const one of [port1, worker]) {
      if (is_idle) one.unref()
      else one.ref()
    }
  }
  const calls = new OpenCalls(hold)

  function end(code: string, what: string, cause?: unknown): void {
    calls.end({ code, message: `thread ${module} ${what}`, cause })
    port1.close()
  }

  // setImmediate: each network answer has its own callback, and one message takes the calls of all.
  const outbox = openOutbox<CallMessage>(
    port1,
    ({ id }, error) => calls.settle({ id, error: toPlainError(error) }),
    setImmediate,
  )
  port1.on('message', (answers: AnswerMessage[]) => {
    for (const answer of answers) calls.settle(answer)
  })
  hold(true)
  worker.on('error', (error) => end('thread.failed', `failed: ${messageOf(error)}`, error))
  worker.on('exit', () => end('thread.ended', 'has ended'))

  return {
    call: (method, argument) => calls.make({ method, argument }, (call) => outbox.post(call)),
    async terminate() {
      end('thread.ended', 'was ended')
      await worker.terminate()
    },
  }
}

/** Threads and child processes run from dist/: Node 20 cannot load TypeScript into a thread. */
export function builtModule(module: string): URL {
  const here = import.meta.url.replace(/\/src\/base\/run\/thread\.ts$/, '/dist/base/run/thread.js')
  return new URL(`../../${module}.js`, here)
}

/**
 * Joins posted items into one array: at thousands of calls a second, posting costs more than the
 * items. `later` sends it after the running callback, or after all ready ones (`setImmediate`).
 */
function openOutbox<Item>(
  port: MessagePort,
  onUnsendable: (item: Item, error: unknown) => void,
  later: (flush: () => void) => void,
) {
  let entries: { item: Item; transfer: readonly Transferable[] }[] = []

  function flush(): void {
    const gathered = entries
    entries = []
    // An item that cannot be cloned must not stop the others.
    if (!send(gathered) && gathered.length > 1) {
      for (const entry of gathered) send([entry])
    }
  }

  function send(gathered: typeof entries): boolean {
    const items = gathered.map(({ item }) => item)
    try {
      port.postMessage(
        items,
        gathered.flatMap(({ transfer }) => transfer),
      )
      return true
    } catch (error) {
      if (items.length === 1) onUnsendable(items[0]!, error)
      return false
    }
  }

  return {
    post(item: Item, transfer: readonly Transferable[] = []): void {
      if (entries.length === 0) later(flush)
      entries.push({ item, transfer })
    },
  }
}

/** One call, as the thread's module receives it. Must be answered exactly once. */
export interface ServedCall {
  method: string
  argument: unknown
  resolve(value: unknown, transfer?: Transferable[]): void
  reject(error: unknown): void
}

/** Serves all calls that have arrived as a batch, so that one commit can hold their writes. */
export function serveBatches<Data>(
  begin: (data: Data) => (calls: ServedCall[]) => void | Promise<void>,
  // Microtasks: while calls come in without a pause, no immediate runs.
  later: (flush: () => void) => void = queueMicrotask,
): void {
  if (!parentPort) throw new Error('this module runs in a thread only')
  const { port, data } = workerData as { port: MessagePort; data: Data }
  const handle = begin(data)
  const answers = openOutbox<AnswerMessage>(
    port,
    ({ id }, error) => port.postMessage([{ id, error: toPlainError(error) }]),
    later,
  )
  const served = ({ id, method, argument }: CallMessage): ServedCall => ({
    method,
    argument,
    resolve: (value, transfer) => answers.post({ id, value }, transfer),
    reject: (error) => answers.post({ id, error: toPlainError(error) }),
  })
  const backlog: CallMessage[] = []
  let busy = false
  port.on('message', async (first: CallMessage[]) => {
    backlog.push(...first)
    if (busy) return
    busy = true
    while (backlog.length > 0) {
      while (backlog.length < max_batch) {
        const next = receiveMessageOnPort(port)?.message as CallMessage[] | undefined
        if (!next) break
        backlog.push(...next)
      }
      await handle(backlog.splice(0, max_batch).map(served))
    }
    busy = false
  })
}

const max_batch = 512

export type CallHandlers = Record<string, (argument: never) => unknown>

/** In a process of its own (apart.ts): the process that started it calls. */
function serveParent(handlers: CallHandlers): void {
  if (!process.send) throw new Error('this module runs in a thread or apart only')
  // The other process may have given up and ended.
  const post = (answer: AnswerMessage) => void process.send?.(answer, () => {})
  process.on('message', ({ id, method, argument }: CallMessage) => {
    const resolve = (value: unknown) => post({ id, value })
    const reject = (error: unknown) => post({ id, error: toPlainError(error) })
    void answer(handlers, { method, argument, resolve, reject })
  })
}

/** Serves calls by name, concurrently. `begin` receives the start data and holds all state. */
export function serveCalls<Data>(begin: (data: Data) => CallHandlers): void {
  if (!parentPort) {
    serveParent(begin(undefined as Data))
    return
  }
  serveBatches<Data>((data) => {
    const handlers = begin(data)
    return (calls) => {
      for (const call of calls) void answer(handlers, call)
    }
  }, setImmediate)
}

async function answer(handlers: CallHandlers, call: ServedCall): Promise<void> {
  try {
    const handler = handlers[call.method]
    if (!handler) throw new Error(`no such method: ${call.method}`)
    const value = await handler(call.argument as never)
    if (value instanceof Transferred) call.resolve(value.value, value.transfer)
    else call.resolve(value)
  } catch (error) {
    call.reject(error)
  }
}

export class Transferred<Value> {
  readonly value: Value
  readonly transfer: Transferable[]

  constructor(value: Value, transfer: Transferable[]) {
    this.value = value
    this.transfer = transfer
  }
}
