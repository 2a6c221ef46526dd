import type { FaultNote } from '../base/run/errors.ts'
import type { RunFact, RunPlan, RunState, RunTurn } from './run.ts'

/** Fields of a run that facts change. Only `run_planned` changes the plan's assets and refusals. */
export interface RunProgress {
  state: RunState
  /** Index of the current turn in `turns`. */
  turn: number
  turns: RunTurn[]
  not_before_ms: number
  /** Failures in a row, in any step; 0 again after a step succeeded. */
  attempts: number
  /** Deviations from the plan, for the report: a turn sent again, an id dropped. */
  notes: string[]
  coverage: string | undefined
  chat_id: string | undefined
  error: FaultNote | undefined
  why: string | undefined
  report_path: string | undefined
  /** Why the answer of a written run is no report; undefined for an ordinary one. */
  empty: string | undefined
  planned_ms: number | undefined
  ended_ms: number | undefined
}

export type RunStep = Extract<RunFact, { run: number }>

export function newRun(at_ms: number): RunProgress {
  return {
    state: 'due',
    turn: 0,
    turns: [],
    not_before_ms: at_ms,
    attempts: 0,
    notes: [],
    coverage: undefined,
    chat_id: undefined,
    error: undefined,
    why: undefined,
    report_path: undefined,
    empty: undefined,
    planned_ms: undefined,
    ended_ms: undefined,
  }
}

/** The run after a fact at this time. Pure. Undefined if it is late, or of a second sender. */
export function runAfter(run: RunProgress, fact: RunStep, at_ms: number): RunProgress | undefined {
  if (!mayHappen(run, fact.type)) return undefined
  const forward = { ...run, not_before_ms: at_ms, attempts: 0, error: undefined }
  switch (fact.type) {
    case 'run_skipped':
      return { ...forward, state: 'skipped', why: fact.why, ended_ms: at_ms }
    case 'run_planned': {
      const attempts = run.state === 'planned' ? run.attempts : 0
      return { ...forward, ...planned(run, fact.plan), attempts, planned_ms: at_ms }
    }
    case 'turn_intended':
      return {
        ...run,
        state: 'asking',
        turns: turnsWith(run, { body: fact.body, intended_ms: at_ms }),
      }
    case 'turn_unsent': {
      const { not_before_ms, error } = fact
      const turns = turnsWith(run, { intended_ms: undefined })
      return { ...run, state: 'planned', turns, attempts: run.attempts + 1, not_before_ms, error }
    }
    case 'turn_lost':
      return {
        ...forward,
        state: 'planned',
        turns: turnsWith(run, lostTurn(run)),
        notes: [...run.notes, fact.why],
      }
    case 'turn_asked': {
      const { chat_id, message_id } = fact
      const notes = notesWith(run, fact)
      return {
        ...forward,
        state: 'asked',
        turns: turnsWith(run, { chat_id, message_id, asked_ms: at_ms }),
        notes,
      }
    }
    case 'turn_answered': {
      const { answer, sources, calls } = fact
      const turns = turnsWith(run, { answer, sources, calls, answered_ms: at_ms })
      const notes = notesWith(run, fact)
      const is_last = run.turn + 1 >= run.turns.length
      return is_last
        ? { ...forward, state: 'answered', turns, notes }
        : { ...forward, state: 'planned', turns, notes, turn: run.turn + 1 }
    }
    case 'run_written': {
      const { report_path, empty, removed_chats = [] } = fact
      const turns = withRemoved(run.turns, removed_chats)
      return { ...forward, turns, state: 'written', report_path, empty, ended_ms: at_ms }
    }
    case 'run_failed':
      return { ...run, state: 'failed', error: fact.error, ended_ms: at_ms }
    case 'run_deferred':
      return {
        ...run,
        attempts: run.attempts + 1,
        not_before_ms: fact.not_before_ms,
        error: fact.error,
      }
  }
}

const unfinished: readonly RunState[] = ['due', 'planned', 'asking', 'asked', 'answered']
const applies_in: Record<RunStep['type'], readonly RunState[]> = {
  run_skipped: ['due', 'planned'],
  run_planned: ['due', 'planned'],
  turn_intended: ['planned'],
  turn_unsent: ['asking'],
  turn_asked: ['asking'],
  turn_lost: ['asking', 'asked'],
  turn_answered: ['asked'],
  run_written: ['answered'],
  run_failed: unfinished,
  run_deferred: unfinished,
}

/** Answered turns are never asked again: planning and skipping end with the first answer. */
function mayHappen(run: RunProgress, type: RunStep['type']): boolean {
  const needs_first_turn = type === 'run_skipped' || type === 'run_planned'
  return applies_in[type].includes(run.state) && !(needs_first_turn && run.turn > 0)
}

/** A new plan keeps the past of each turn: a turn that was sent again must not seem sent once. */
function planned(
  { turns, notes }: RunProgress,
  plan: RunPlan,
): Pick<RunProgress, 'state' | 'turns' | 'notes' | 'coverage' | 'chat_id'> {
  return {
    state: 'planned',
    notes: [...new Set([...notes, ...(plan.notes ?? [])])],
    turns: plan.bodies.map((body, index) => ({ ...newTurn(body), ...pastOf(turns[index]) })),
    coverage: plan.coverage,
    chat_id: plan.chat_id,
  }
}

/** A lost message keeps its id, so that a search does not take it for the new one. */
function pastOf(turn: RunTurn | undefined): Pick<RunTurn, 'asked_again' | 'message_id'> {
  return { asked_again: turn?.asked_again ?? 0, message_id: turn?.message_id }
}

/** The turns, with those marked whose chats were removed from the service. */
export function withRemoved(turns: readonly RunTurn[], chat_ids: readonly string[]): RunTurn[] {
  return turns.map((turn) =>
    chat_ids.includes(turn.chat_id ?? '') ? { ...turn, chat_removed: true } : turn,
  )
}

export function newTurn(body: string): RunTurn {
  return {
    body,
    intended_ms: undefined,
    chat_id: undefined,
    message_id: undefined,
    asked_ms: undefined,
    answer: undefined,
    answered_ms: undefined,
    asked_again: 0,
  }
}

function lostTurn({ turns, turn }: RunProgress): Partial<RunTurn> {
  const lost = turns[turn]!
  return { ...newTurn(lost.body), ...pastOf(lost), asked_again: lost.asked_again + 1 }
}

function notesWith({ notes }: RunProgress, { note }: { note?: string }): string[] {
  return note === undefined ? notes : [...notes, note]
}

function turnsWith({ turns, turn }: RunProgress, change: Partial<RunTurn>): RunTurn[] {
  return turns.map((other, index) => (index === turn ? { ...other, ...change } : other))
}
