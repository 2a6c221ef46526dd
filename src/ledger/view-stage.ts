import type { ContentState } from '../domain/content.ts'
import type { FileState } from '../domain/file.ts'

/**
 * Where a file stands, in people's words.
 *
 * - `settling`: seen, and waiting to be quiet.
 * - `waiting`: its bytes are known and wanted; nothing was sent yet.
 * - `sending`: the service gave a slot, the bytes are on their way.
 * - `ingesting`: in the service, being read.
 * - `ready`: usable in the assistant. Only this is success.
 * - `refused`: the service will not have it; new bytes or a person's word change that.
 * - `blocked`: it should go up and cannot now: unreadable, changing, outside, or held by the brake.
 * - `skipped`: it will not go up, for a reason in the file or the rules.
 * - `removed_on_service`: it was there, and somebody removed it there.
 * - `gone`: it was here and is not any more.
 */
export const stages = [
  'settling',
  'waiting',
  'sending',
  'ingesting',
  'ready',
  'refused',
  'blocked',
  'skipped',
  'removed_on_service',
  'gone',
] as const
export type Stage = (typeof stages)[number]

/** The states of `counts`: of a present file its content's, of any other its own. */
type CountedState = Exclude<FileState, 'present'> | ContentState

const stage_of: Record<CountedState, Stage> = {
  seen: 'settling',
  wanted: 'waiting',
  reserving: 'waiting',
  abandoned: 'waiting',
  removing: 'waiting',
  reserved: 'sending',
  sent: 'sending',
  ingesting: 'ingesting',
  ready: 'ready',
  refused: 'refused',
  removed_on_service: 'removed_on_service',
  blocked: 'blocked',
  skipped: 'skipped',
  gone: 'gone',
}

export function stageOf(state: string): Stage {
  return stage_of[state as CountedState] ?? 'waiting'
}

/** The states that make up these stages. */
export function statesOf(wanted: readonly Stage[]): string[] {
  return Object.entries(stage_of).flatMap(([state, stage]) => (wanted.includes(stage) ? [state] : []))
}
