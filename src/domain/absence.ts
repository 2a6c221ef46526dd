/**
 * A time in which nobody could keep a promise. `away`: no daemon was at work (it was stopped, the machine was off or slept), or
 * nobody knows of one. `paused`: a person had stopped what goes out.
 */
export interface Absence {
  why: 'away' | 'paused'
  from_ms: number
  to_ms: number
}
