import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration } from '../../base/text/format.ts'
import { backoff_ms, type Clock, minute_ms, second_ms } from '../../base/time/time.ts'

/** The first wrong passwords may be typing errors. */
const free_tries = 3
const pause = { first_ms: second_ms, max_ms: 5 * minute_ms }
const max_names = 10_000
/** Each check takes 64 MB and a core for a moment. */
const max_checks = 2
/** More sign-ins than this do not wait in line, which would take many seconds. */
const max_waiting = 20

/** Lets passwords be tried ever more slowly, by name and by address. Errors: `page.slow_down`. */
export function createSlowDown(clock: Pick<Clock, 'monotonic_ms'>) {
  const failures = new Map<string, { count: number; until_ms: number }>()
  let checking = 0
  const line: (() => void)[] = []

  function failed(key: string): void {
    const count = (failures.get(key)?.count ?? 0) + 1
    const wait_ms = count < free_tries ? 0 : backoff_ms(count - free_tries, pause)
    failures.delete(key)
    failures.set(key, { count, until_ms: clock.monotonic_ms() + wait_ms })
    // The oldest goes: a flood of invented names must not fill the memory.
    if (failures.size > max_names) failures.delete(failures.keys().next().value!)
  }

  return async (keys: readonly string[], check: () => Promise<boolean>): Promise<boolean> => {
    refuseEarly(keys, line.length >= max_waiting)
    if (checking < max_checks) checking++
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      // A sign-in before this one in the line may have been wrong.
      refuseEarly(keys)
      const is_right = await check()
      for (const key of keys) {
        if (is_right) failures.delete(key)
      }
      if (!is_right) {
        for (const key of keys) failed(key)
      }
      return is_right
    } finally {
      const next = line.shift() ?? (() => void checking--)
      next()
    }
  }

  function refuseEarly(keys: readonly string[], is_full = false): void {
    const left_ms =
      Math.max(0, ...keys.map((key) => failures.get(key)?.until_ms ?? 0)) - clock.monotonic_ms()
    if (left_ms <= 0 && !is_full) return
    const wait = formatDuration(Math.max(left_ms, second_ms))
    throw new SluiceError({
      code: 'page.slow_down',
      message: `too many tries: wait ${wait}, then try again`,
    })
  }
}
