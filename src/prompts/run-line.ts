import { printable } from '../base/format.ts'
import { localTime } from '../base/time.ts'

/**
 * The last line of every prompt of ours, `Run weekly-digest 2026-11-23T08:00+01:00 turn 2 of 3`: by it a turn whose fate is unknown
 * is found again. No two runs of a prompt have the same: one by hand has its seconds and milliseconds. `turn` counts from 0.
 */
export function runLine(name: string, due_ms: number, zone: string, turn = 0, turns = 1): string {
  const which = turns > 1 ? ` turn ${turn + 1} of ${turns}` : ''
  return `Run ${printable(name)} ${localTime(due_ms, zone)}${which}`
}

/** The last line that is not empty: nothing but us writes there, whatever files are called. */
export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)!.trim()
}
