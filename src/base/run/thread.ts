import {
  MessageChannel,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  type Transferable,
  Worker,
  workerData,
} from 'node:worker_threads'
import { messageOf, type PlainError, SluiceError, toPlainError } from './errors.ts'

/**
 * Threads are modules that serve calls: the starter holds a `Thread` and awaits `call(method, argument)`, the module answers
 * through `serveCalls` or `serveBatches`. Threads always start from dist/: Node 20 cannot load TypeScript into one.
 */
export interface Thread {
  /** The argument is copied after this returns: it is not changed until the answer is there. */
  call<Result>(method: string, argument: unknown, transfer?: Transferable[]): Promise<Result>
  /** Ends the thread now; calls in flight reject with `thread.ended`. */
  terminate(): Promise<void>
}

interface CallMessage {
  id: number
  method: string
  argument: unknown
}

type AnswerMessage = { id: number; value: unknown } | { id: number; error: PlainError }

/**
 * `module` is the path of the thread's module below src/, without extension: `ledger/thread`. `young_mb`: how much it may make before
 * it clears up; a thread whose objects live for microseconds takes up to 50 MB of memory for them, and no less time, without.
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
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let next_id = 1
  let ended: SluiceError | undefined

  function end(error: SluiceError): void {
    ended ??= error
    for (const call of waiting.values()) call.reject(ended)
    waiting.clear()
    port1.close()
  }

  function settle(answer: AnswerMessage): void {
    const call = waiting.get(answer.id)
    if (!call) return
    waiting.delete(answer.id)
    if (waiting.size === 0) rest()
    if ('error' in answer) call.reject(new SluiceError(answer.error))
    else call.resolve(answer.value as never)
  }

  // Each answer of the network is a callback of its own; what all that have come make of them goes out as one.
  const outbox = openOutbox<CallMessage>(
    port1,
    ({ id }, error) => settle({ id, error: toPlainError(error) }),
    setImmediate,
  )
  port1.on('message', (answers: AnswerMessage[]) => {
    for (const answer of answers) settle(answer)
  })
  // Idle threads keep no process alive; a call in flight does. So does its thread: the port of one that dies is closed before its
  // end is told, and a process with nothing else to wait for would be gone in between, without a word.
  const rest = () => {
    port1.unref()
    worker.unref()
  }
  rest()
  worker.on('error', (error) =>
    end(
      new SluiceError({ code: 'thread.failed', message: `thread ${module} failed: ${messageOf(error)}`, cause: error }),
    ),
  )
  worker.on('exit', () => end(new SluiceError({ code: 'thread.ended', message: `thread ${module} has ended` })))

  return {
    call<Result>(method: string, argument: unknown, transfer: Transferable[] = []): Promise<Result> {
      if (ended) return Promise.reject(ended)
      return new Promise<Result>((resolve, reject) => {
        const id = next_id++
        if (waiting.size === 0) {
          port1.ref()
          worker.ref()
        }
        waiting.set(id, { resolve, reject })
        outbox.post({ id, method, argument }, transfer)
      })
    },
    async terminate() {
      end(new SluiceError({ code: 'thread.ended', message: `thread ${module} was ended` }))
      await worker.terminate()
    },
  }
}

function builtModule(module: string): URL {
  const here = import.meta.url.replace(/\/src\/base\/run\/thread\.ts$/, '/dist/base/run/thread.js')
  return new URL(`../../${module}.js`, here)
}

/**
 * Gathers what is posted to a port into one message: at thousands of calls a second, posting costs more than what is posted. The
 * other side receives arrays. `later`: when to send what was gathered: after the callback that is running, or with `setImmediate`
 * after all that are ready.
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
    // One that cannot be cloned must not take the others with it.
    if (!send(gathered) && gathered.length > 1) for (const entry of gathered) send([entry])
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
    post(item: Item, transfer: readonly Transferable[]): void {
      if (entries.length === 0) later(flush)
      entries.push({ item, transfer })
    },
  }
}

/** One call as the thread's module sees it; each is answered exactly once. */
export interface ServedCall {
  method: string
  argument: unknown
  resolve(value: unknown, transfer?: Transferable[]): void
  reject(error: unknown): void
}

/**
 * Serves calls in batches: everything that has arrived by now, at most so many calls, is handed over
 * at once, so that a database can put many callers' writes into one commit. `begin` gets what the
 * thread was started with.
 */
export function serveBatches<Data>(
  begin: (data: Data) => (calls: ServedCall[]) => void | Promise<void>,
  // At once: while calls come in without a pause, no immediate runs.
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
    resolve: (value, transfer = []) => answers.post({ id, value }, transfer),
    reject: (error) => answers.post({ id, error: toPlainError(error) }, []),
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

/**
 * Serves calls by name, one beside the other. A handler answers its value, or one that is `Transferred`. `begin` gets what the
 * thread was started with; all that the thread remembers lives in it.
 */
export function serveCalls<Data>(begin: (data: Data) => CallHandlers): void {
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
