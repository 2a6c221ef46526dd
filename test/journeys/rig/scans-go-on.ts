import type { Journey } from './harness.ts'

/** More than the grace of `delete_grace_ms: '1s'`, with time for scans after it. */
const grace_is_over_ms = 2_500
const rescan_every_ms = 300

/** Lets complete scans follow one another, until a grace of 1 s is over. */
export async function scansGoOn(journey: Journey): Promise<void> {
  const began = performance.now()
  await rescanUntil(
    journey,
    'the grace is over',
    () => performance.now() - began > grace_is_over_ms,
  )
  await journey.idle()
}

/** Lets complete scans follow one another. `what`: what they are waited for, in words. */
export async function rescanUntil(
  journey: Journey,
  what: string,
  isOver: () => boolean,
): Promise<void> {
  let checked = performance.now()
  await journey.until(what, () => {
    if (performance.now() - checked > rescan_every_ms) {
      checked = performance.now()
      journey.daemon.rescan()
    }
    return isOver()
  })
}
