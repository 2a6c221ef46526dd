import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AsyncSubscription, Event } from '@parcel/watcher'
import { messageOf } from '../base/errors.ts'

export type NativeEvent = Event

/** Stops it. */
export type Unsubscribe = () => Promise<void>

type Native = typeof import('@parcel/watcher')

let loading: Promise<Native | { fault: string }> | undefined

/** Why there is no native watching on this machine, or undefined: its package is optional, and made for some systems only. */
export async function nativeFault(): Promise<string | undefined> {
  const native = await load()
  return 'fault' in native ? native.fault : undefined
}

/**
 * One watch for each directory below `root`; resolves when all are there. It works in a thread of its own and tells at most every
 * 50 ms, each path once. `on_error` is its end: after that it is deaf. Rejects with an error without a code; the message has the
 * words of strerror(3).
 */
export async function subscribeNative(
  root: string,
  options: {
    /** Absolute paths that are not entered. */
    ignore: readonly string[]
    on_events: (events: readonly NativeEvent[]) => void
    on_error: (error: Error) => void
  },
): Promise<Unsubscribe> {
  const native = await load()
  if ('fault' in native) throw new Error(native.fault)
  const { ignore, on_events, on_error } = options
  const detour = detours.get(root) ?? ''
  const subscription = await native.subscribe(
    detour + root,
    (error, events) => {
      if (error) on_error(error)
      else on_events(events.map(({ path, type }) => ({ path: path.slice(detour.length), type })))
    },
    // By default it would look for watchman first, a daemon of its own.
    {
      ignore: ignore.map((path) => detour + path),
      ...(process.platform === 'linux' ? { backend: 'inotify' as const } : {}),
    },
  )
  return () => unsubscribe(native, root, subscription)
}

/** By root: another name of the same place, for those whose old tree it still remembers under the plain one. */
const detours = new Map<string, string>()
const way_round = '/proc/self/root'

/**
 * Where a directory was moved and then deleted it stumbles over a watch that is gone, and keeps the rest with the tree that it
 * knew. That goes with its last subscription, so one is made and ended; where others live on, the root gets another name.
 */
async function unsubscribe(native: Native, root: string, subscription: AsyncSubscription): Promise<void> {
  try {
    await subscription.unsubscribe()
  } catch {
    detours.set(root, (detours.get(root) ?? '') + way_round)
    const none = await native.subscribe(dirname(fileURLToPath(import.meta.url)), () => {}, { backend: 'inotify' })
    await none.unsubscribe()
  }
}

function load(): Promise<Native | { fault: string }> {
  loading ??= import('@parcel/watcher').then(
    (module) => module.default ?? module,
    (error: unknown) => ({ fault: `@parcel/watcher cannot be used here (${messageOf(error).split('\n')[0]})` }),
  )
  return loading
}
