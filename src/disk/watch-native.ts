import type { Event } from '@parcel/watcher'
import { messageOf } from '../base/errors.ts'

export type NativeEvent = Event

/** Stops it. */
export type Unsubscribe = () => Promise<void>

type Native = typeof import('@parcel/watcher')

let loading: Promise<Native | { fault: string }> | undefined

/** Why there is no native watching on this machine, or undefined: on other systems than Linux its package is optional. */
export async function nativeFault(): Promise<string | undefined> {
  if (process.platform === 'linux') return undefined
  const native = await load()
  return 'fault' in native ? native.fault : undefined
}

/**
 * Hears everything below `root`, on systems whose kernel watches whole trees; resolves when it does. It works in a thread of its own and tells at most every
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
  const subscription = await native.subscribe(
    root,
    (error, events) => {
      if (error) on_error(error)
      else on_events(events)
    },
    { ignore: [...ignore] },
  )
  return () => subscription.unsubscribe()
}

function load(): Promise<Native | { fault: string }> {
  loading ??= import('@parcel/watcher').then(
    (module) => module.default ?? module,
    (error: unknown) => ({ fault: `@parcel/watcher cannot be used here (${messageOf(error).split('\n')[0]})` }),
  )
  return loading
}
