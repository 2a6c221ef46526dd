/**
 * A time in which no promise could be kept. `away`: no daemon ran (it was stopped, or the machine
 * was off or asleep), or none is known. `paused`: a user had paused outgoing work.
 */
export interface Absence {
  why: 'away' | 'paused'
  from_ms: number
  to_ms: number
}
