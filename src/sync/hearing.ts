/** What a folder's scans have shown of its watcher, since it was last known to hear. */
export interface Hearing {
  /** Scans in a row that found what it had not told. */
  strikes: number
  /** It was made anew for that, and has not shown since that it hears. */
  rebuilt: boolean
}

/** Fields of the section `watching`. */
export interface HearingLimits {
  readonly deaf_after_scans: number
  readonly deaf_after_files: number
}

export const unproven: Hearing = { strikes: 0, rebuilt: false }

/** One in a hundred may go by while ninety-nine are told: the queue of the kernel overflows in silence. */
const told_per_miss = 100

/**
 * Whether a watcher hears, by what a scan found against it. `told`: hints since the scan before; `missed`: files that the scan
 * found and it should have told long ago. `deaf` the first time means: make it anew; the second time: give it up.
 */
export function judgeHearing(
  before: Hearing,
  scan: { told: number; missed: number },
  limits: HearingLimits,
): { hearing: Hearing; verdict: 'hears' | 'doubtful' | 'rebuild' | 'deaf' } {
  const { told, missed } = scan
  // Nothing happened: that proves nothing.
  if (missed === 0 && told === 0) return { hearing: before, verdict: before.strikes > 0 ? 'doubtful' : 'hears' }
  if (missed * told_per_miss <= told) return { hearing: unproven, verdict: 'hears' }
  const strikes = before.strikes + 1
  const is_deaf = strikes >= limits.deaf_after_scans || (told === 0 && missed >= limits.deaf_after_files)
  if (!is_deaf) return { hearing: { ...before, strikes }, verdict: 'doubtful' }
  return { hearing: { strikes: 0, rebuilt: true }, verdict: before.rebuilt ? 'deaf' : 'rebuild' }
}
