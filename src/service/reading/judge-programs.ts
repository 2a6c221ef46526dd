import type { ProgramWork } from '../store/picture-pages.ts'
import type { ReadOutcome } from './reader-thread.ts'

/** `missing`: the Debian packages that have the programs for a kind of file. */
export type ProgramState = 'installed' | 'off' | { missing: readonly string[] }

/**
 * Judges a file that programs can read, wholly or in part. `waits`: it has no text yet, and the
 * programs are here.
 */
export function judgeByPrograms(
  outcome: ReadOutcome,
  programs: { stateOf(kind: ProgramWork): ProgramState },
): ReadOutcome & { waits?: true } {
  const { asset, for_programs, reading, unreadable } = outcome
  if (for_programs === undefined) return outcome
  const states = for_programs.map(({ kind }) => programs.stateOf(kind))
  // A file that was converted before keeps its text until it is converted once more.
  const is_converted = for_programs.some(({ kind }) => kind === 'xls' || kind === 'ppt')
  const local = is_converted ? { is_local: true as const } : {}
  if (!reading && states.includes('installed')) return { ...outcome, ...local, waits: true }
  const missing = states.flatMap((state) => (typeof state === 'object' ? state.missing : []))
  if (missing.length === 0) return { ...outcome, ...(!reading && local) }
  const needs = `needs ${[...new Set(missing)].join(' and ')}, not installed on the service's machine`
  if (reading)
    return { ...outcome, reading: { ...reading, why: `${reading.why}; to read more it ${needs}` } }
  if (unreadable === undefined) return outcome
  return { asset, for_programs, unreadable: `it ${needs}`, needs_program: true, ...local }
}
