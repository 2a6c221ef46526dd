/** No step of a journey takes longer than this on two cores that have much else to do; what does, hangs. */
const patience_ms = 30_000
const look_again_ms = 10
/** A look that reads many files must not keep from its work what it waits for: both share one event loop. */
const rest_for_a_look = 4

/** Polls until the fact holds. `state` is told when it never does, so that a red test says where things stood. */
export async function until(
  what: string,
  fact: () => boolean | Promise<boolean>,
  state: () => unknown = () => undefined,
): Promise<void> {
  const began = performance.now()
  for (;;) {
    const looked = performance.now()
    if (await fact()) return
    const now = performance.now()
    if (now - began > patience_ms) throw new Error(`did not come: ${what}\n${shown(state())}`)
    await new Promise((resolve) => setTimeout(resolve, Math.max(look_again_ms, rest_for_a_look * (now - looked))))
  }
}

/** The promise's value, or an error when it does not settle in time. */
export async function within<T>(what: string, promise: Promise<T>, most_ms = patience_ms): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${most_ms} ms: ${what}`)), most_ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(state: unknown): string {
  return state === undefined ? '' : JSON.stringify(state, undefined, 1).slice(0, 6_000)
}
