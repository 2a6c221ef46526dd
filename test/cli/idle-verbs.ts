import type { ControlVerbs } from '../../src/control/control-verbs.ts'

const never = async () => {}

/** Verbs of a daemon that answers and does nothing. */
export const idle_verbs: Omit<ControlVerbs, 'ping'> = {
  rescan: never,
  retry: never,
  accept: never,
  acceptRemovals: never,
  audit: never,
  ask: async () => ({ chat_id: 'chat_0', answer: '', note: null, sources: [] }),
  idle: never,
  deliverAgain: never,
  doubt: never,
  runPrompt: async () => ({ due_ms: 1 }),
  pause: never,
  resume: never,
  reload: async () => ({ changes: [], at_next_start: [], unit: [] }),
}
