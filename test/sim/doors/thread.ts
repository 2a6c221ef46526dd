import { SluiceError, toPlainError } from '../../../src/base/run/errors.ts'
import type { CallHandlers, ServedCall, Thread } from '../../../src/base/run/thread.ts'
import { hungUntilFree } from '../world/mounts.ts'
import { type Life, world } from '../world/world.ts'

/*
 * Replaces base/run/thread: a thread is a function of its module on the calling thread. A call
 * begins in a later turn of the event loop, and its arguments and answer are copied, as between
 * real threads.
 */

export type { ServedCall, Thread } from '../../../src/base/run/thread.ts'

type Serve = (calls: ServedCall[]) => void | Promise<void>

const modules = new Map<string, (data: never) => Serve>()
let registering = ''

/**
 * Called with each thread's module before its import: its served calls are stored under its name.
 */
export function register(module: string): void {
  registering = module
}

export class Transferred {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

export function serveBatches<Data>(begin: (data: Data) => Serve): void {
  modules.set(registering, begin as (data: never) => Serve)
}

export function serveCalls<Data>(begin: (data: Data) => CallHandlers): void {
  modules.set(registering, (data: never) => {
    const handlers = begin(data)
    return (calls) => {
      for (const call of calls) void serveOne(handlers, call)
    }
  })
}

async function serveOne(handlers: CallHandlers, call: ServedCall): Promise<void> {
  try {
    const handler = handlers[call.method]
    if (!handler) throw new Error(`no such method: ${call.method}`)
    const value = handler(call.argument as never)
    const answer = value instanceof Promise ? await value : value
    call.resolve(answer instanceof Transferred ? answer.value : answer)
  } catch (error) {
    call.reject(error)
  }
}

/** Where the simulation has the compiled program. Nothing starts a child in it. */
export function builtModule(module: string): URL {
  return new URL(`../../../src/${module}.js`, import.meta.url)
}

export function startThread(module: string, data: unknown = undefined): Thread {
  const begin = modules.get(module)
  if (!begin) throw new Error(`the sim has no thread ${module}`)
  const life = module.startsWith('service/') ? undefined : world.life
  const serve = begin(structuredClone(data) as never)
  return new InProcess(module, serve, life)
}

interface Waiting {
  method: string
  argument: unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

class InProcess implements Thread {
  readonly #module: string
  readonly #serve: Serve
  readonly #life: Life | undefined
  /** Calls not served yet: a real thread that hangs in one serves none of the later ones. */
  #queue: Waiting[] = []
  readonly #open = new Set<Waiting>()
  #is_awake = false
  #is_ended = false
  /** The directory that the calls of this thread read, once one of them named it. */
  #root: string | undefined

  constructor(module: string, serve: Serve, life: Life | undefined) {
    this.#module = module
    this.#serve = serve
    this.#life = life
  }

  call<Result>(method: string, argument: unknown): Promise<Result> {
    if (this.#life?.is_dead) return new Promise(() => {})
    if (this.#is_ended) return Promise.reject(this.#ended())
    return new Promise<Result>((resolve, reject) => {
      const waiting: Waiting = { method, argument: structuredClone(argument), resolve, reject }
      this.#queue.push(waiting)
      this.#open.add(waiting)
      this.#wake()
    })
  }

  async terminate(): Promise<void> {
    this.#is_ended = true
    this.#queue = []
    for (const { reject } of this.#open) reject(this.#ended())
    this.#open.clear()
  }

  #ended(): SluiceError {
    return new SluiceError({ code: 'thread.ended', message: `thread ${this.#module} was ended` })
  }

  #wake(): void {
    if (this.#is_awake) return
    this.#is_awake = true
    world.immediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 && !this.#life?.is_dead) {
      const is_disk = this.#module.startsWith('disk/')
      const batch = is_disk ? [this.#queue.shift()!] : this.#queue.splice(0)
      this.#root = rootOf(batch[0]!.argument) ?? this.#root
      if (is_disk && this.#root !== undefined) await hungUntilFree(this.#root)
      if (this.#is_ended || this.#life?.is_dead) return
      world.is_in_thread = true
      try {
        void this.#serve(batch.map((waiting) => this.#served(waiting)))
      } finally {
        world.is_in_thread = false
      }
    }
    this.#is_awake = false
  }

  #served(waiting: Waiting): ServedCall {
    const answer = (settle: () => void) =>
      world.immediate(() => {
        if (!this.#open.delete(waiting) || this.#life?.is_dead) return
        settle()
      })
    return {
      method: waiting.method,
      argument: waiting.argument,
      resolve: (value) => {
        const copy = structuredClone(value) as never
        answer(() => waiting.resolve(copy))
      },
      reject: (error) => {
        const copy = new SluiceError(structuredClone(toPlainError(error)))
        answer(() => waiting.reject(copy))
      },
    }
  }
}

function rootOf(argument: unknown): string | undefined {
  const { root, walk } = (argument ?? {}) as { root?: string; walk?: { root: string } }
  return root ?? walk?.root
}
