/** Each step takes less than this on two busy cores. A longer step hangs. */
const patience_ms = 30_000
const check_again_ms = 10
/** A check that reads many files must not slow down the awaited work: both share one event loop. */
const rest_between_checks = 4

/**
 * Polls until the fact holds. If it never does, the error shows `state`, so that a red test
 * explains itself.
 */
export async function until(
  what: string,
  fact: () => boolean | Promise<boolean>,
  state: () => unknown = () => undefined,
  max_ms = patience_ms,
): Promise<void> {
  const began = performance.now()
  for (;;) {
    const checked = performance.now()
    if (await fact()) return
    const now = performance.now()
    if (now - began > max_ms) throw new Error(`did not come: ${what}\n${shown(await state())}`)
    await rest(Math.max(check_again_ms, rest_between_checks * (now - checked)))
  }
}

/** The promise's value, or an error that shows `state` when it does not settle in time. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  max_ms = patience_ms,
  state: () => unknown = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new Error(`took longer than ${max_ms} ms: ${what}\n${shown(state())}`))
    timer = setTimeout(end, max_ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits that no fact can end, each with its reason. */
const real_waits = {
  'the next millisecond': 'ids and times of the same one do not say which was first',
  'a moment of a thread': 'where in its work a thread of the system is, nobody outside it can see',
  'nothing happens':
    'that something does not happen is seen only after the time in which it would have',
  'a time by the clock of the disk': 'the kernel stamps files by a clock that no test can set',
  'a minute of the wall clock': 'node-cron follows the clock of the machine',
  'an answer that takes its time': 'another is to come, or to be cut off, while it is under way',
} as const

/** Waits for a fixed time instead of a fact. */
export async function realWait(reason: keyof typeof real_waits, ms: number): Promise<void> {
  if (!(reason in real_waits)) throw new Error(`no reason for a real wait: ${reason}`)
  await rest(ms)
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function shown(state: unknown): string {
  if (state === undefined) return ''
  return (typeof state === 'string' ? state : JSON.stringify(state, undefined, 1)).slice(0, 6_000)
}
