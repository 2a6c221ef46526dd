import crypto from 'node:crypto'
import fs, { type BigIntStats, type Stats } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { asOnDisk, hungUntilFree, replaceFilesystems } from './mounts.ts'
import { real } from './real.ts'
import { type Life, later, world } from './world.ts'

/*
 * Node's own modules. Files are real and read on the calling thread, one call per turn of the event
 * loop. The times of a file are those of the virtual clock, and random numbers follow from the
 * seed.
 */

const service_part = '/service/'

export function replaceBuiltins(): void {
  replaceStats()
  replaceFilesystems()
  replaceOpens()
  replacePromises()
  crypto.randomBytes = ((bytes: number) =>
    Buffer.from(
      Array.from({ length: bytes }, () => world.chance.below(256)),
    )) as typeof crypto.randomBytes
  crypto.randomUUID = () => {
    const hex = crypto.randomBytes(16).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  Math.random = () => world.chance.below(2 ** 32) / 2 ** 32
  globalThis.setImmediate = ((callback: () => void, ...args: unknown[]) =>
    world.immediate(callback, ...args)) as typeof setImmediate
  globalThis.clearImmediate = (handle) => world.clearImmediate(handle)
  globalThis.setTimeout = virtualTimer as unknown as typeof setTimeout
  globalThis.clearTimeout = (timer) => (timer as unknown as VirtualTimer | undefined)?.stop()
  globalThis.setInterval = refuseTimer as unknown as typeof setInterval
  syncBuiltinESMExports()
}

/** The part of a Node timer that libraries use. */
interface VirtualTimer {
  stop(): void
  ref(): VirtualTimer
  unref(): VirtualTimer
  hasRef(): boolean
}

function virtualTimer(
  callback: (...args: unknown[]) => void,
  ms = 0,
  ...args: unknown[]
): VirtualTimer {
  const stopping = new AbortController()
  const sleep = world.clockOf(undefined, 'service').sleep(ms, stopping.signal)
  void sleep.then(() => {
    if (!stopping.signal.aborted) callback(...args)
  })
  const timer = {
    stop: () => stopping.abort(),
    ref: () => timer,
    unref: () => timer,
    hasRef: () => true,
  }
  return timer
}

function refuseTimer(): never {
  throw new Error('an interval of Node in the sim: give it a door')
}

function replaceStats(): void {
  for (const name of ['lstatSync', 'statSync'] as const) {
    const original = real[name] as (
      path: string,
      options?: object,
    ) => Stats | BigIntStats | undefined
    const replaced = (path: string, options?: object) =>
      withTimes(original(path, options), String(path))
    Object.assign(fs, { [name]: replaced })
  }
  const fstat = real.fstatSync as (descriptor: number, options?: object) => Stats | BigIntStats
  Object.assign(fs, {
    fstatSync: (descriptor: number, options?: object) => withTimes(fstat(descriptor, options), ''),
  })
}

function withTimes(
  stat: Stats | BigIntStats | undefined,
  path: string,
): Stats | BigIntStats | undefined {
  if (!stat) return stat
  const times = world.times.get(BigInt(stat.ino))
  if (times) {
    const { ctime_ns, mtime_ns } = times
    if (typeof stat.ino === 'bigint') {
      const big = stat as BigIntStats
      big.ctimeNs = ctime_ns
      if (mtime_ns !== undefined) big.mtimeNs = mtime_ns
    } else {
      const small = stat as Stats
      small.ctimeMs = Number(ctime_ns) / 1e6
      if (mtime_ns !== undefined) small.mtimeMs = Number(mtime_ns) / 1e6
    }
  }
  asOnDisk(stat, path)
  return stat
}

function refuseDescriptors(path: unknown, call: string): void {
  if (world.is_acting) return
  if (world.inForce('descriptors').length === 0 || String(path).includes(service_part)) return
  const error = new Error(`EMFILE: too many open files, ${call} '${path}'`)
  throw Object.assign(error, { code: 'EMFILE', errno: -24, syscall: call, path })
}

/** Files that a life opened are closed with it. */
const open = new Map<number, { life: Life; close: () => void }>()

function hold(descriptor: number, path: unknown): number {
  const { life } = world
  if (!life || world.is_acting || String(path).includes(service_part)) return descriptor
  const close = () => {
    open.delete(descriptor)
    real.closeSync(descriptor)
  }
  open.set(descriptor, { life, close })
  life.held.add(close)
  return descriptor
}

function release(descriptor: number): void {
  const held = open.get(descriptor)
  if (held) held.life.held.delete(held.close)
  open.delete(descriptor)
  real.closeSync(descriptor)
}

function replaceOpens(): void {
  const openAs = real.openSync as (...args: unknown[]) => number
  const opened = (...args: unknown[]) => {
    refuseDescriptors(args[0], 'open')
    return hold(openAs(...args), args[0])
  }
  const refused = (name: 'readdirSync' | 'opendirSync' | 'readFileSync') => {
    const original = real[name] as (...args: unknown[]) => unknown
    return (...args: unknown[]) => {
      if (typeof args[0] === 'string')
        refuseDescriptors(args[0], name === 'readFileSync' ? 'open' : 'scandir')
      return original(...args)
    }
  }
  Object.assign(fs, {
    openSync: opened,
    closeSync: release,
    readdirSync: refused('readdirSync'),
    opendirSync: refused('opendirSync'),
    readFileSync: refused('readFileSync'),
  })
}

/** An open file whose calls end one after the other, each in its own turn. */
class Handle {
  fd: number
  readonly #life: Life | undefined

  constructor(fd: number, life: Life | undefined) {
    this.fd = fd
    this.#life = life
  }

  #later<Value>(work: () => Value): Promise<Value> {
    return later(this.#life, work)
  }

  stat(options?: object): Promise<unknown> {
    return this.#later(() => fs.fstatSync(this.fd, options as never))
  }

  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }> {
    return this.#later(() => ({
      bytesRead: real.readSync(this.fd, buffer, offset, length, position),
    }))
  }

  writeFile(bytes: Buffer): Promise<number> {
    return this.#later(() => real.writeSync(this.fd, bytes))
  }

  sync(): Promise<void> {
    return this.#later(() => {})
  }

  async close(): Promise<void> {
    if (this.fd < 0) return
    const { fd } = this
    this.fd = -1
    return this.#later(() => release(fd))
  }
}

function replacePromises(): void {
  const lifeOf = (path: unknown) => (String(path).includes(service_part) ? undefined : world.life)
  const sync =
    (name: string) =>
    (path: string, ...rest: unknown[]) =>
      hungUntilFree(path).then(() =>
        later(lifeOf(path), () =>
          (fs as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(path, ...rest),
        ),
      )
  Object.assign(fs.promises, {
    open: (path: string, ...rest: [string, number?]) =>
      hungUntilFree(path).then(() =>
        later(lifeOf(path), () => new Handle(fs.openSync(path, ...rest), lifeOf(path))),
      ),
    readdir: sync('readdirSync'),
    readFile: sync('readFileSync'),
    stat: sync('statSync'),
    lstat: sync('lstatSync'),
    readlink: sync('readlinkSync'),
    realpath: sync('realpathSync'),
    rm: sync('rmSync'),
  })
  Object.assign(fs, {
    read: (
      fd: number,
      bytes: Uint8Array,
      at: number,
      length: number,
      position: number,
      done: ReadDone,
    ) =>
      world.immediate(() => {
        try {
          done(null, real.readSync(fd, bytes, at, length, position))
        } catch (error) {
          done(error as Error, 0)
        }
      }),
    fdatasync: (_fd: number, done: (error: null) => void) => world.immediate(() => done(null)),
  })
}

type ReadDone = (error: Error | null, count: number) => void
