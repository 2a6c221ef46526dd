import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Claimed, DeliveryKey } from '../ledger.ts'
import type { DeliveryWork, RunWork } from '../prompt-work.ts'
import type { RunRecorder } from '../record/record-run.ts'
import type { PauseRow } from '../rows/pause-row.ts'
import { open_run_states, type RunRow } from '../rows/run-rows.ts'

/** What may go on while a person has stopped what goes out: an answer is waited for, and written down. */
const states_in_pause: readonly RunRow['state'][] = ['asked', 'answered']

interface RunChoice {
  except: readonly string[]
  in_flight: readonly number[]
}

interface DueRun {
  id: number
  state: RunRow['state']
  not_before_ms: number
  project_id: string
}

interface DueDelivery {
  run: number
  target: string
  attempts: number
  wanted_ms: number
  own_id: number
}

/** Answers the runs and deliveries that are due and not in flight. */
export function createRunClaims(database: Sqlite, recorder: RunRecorder, pause: PauseRow) {
  // In the order in which they came to be, not of their due times: a run by hand may be of a later time than one that is then
  // made up. Two that are planned side by side would tell the same.
  const oldest_runs = database.prepare(
    `SELECT runs.id, runs.state, runs.not_before_ms, projects.project_id
       FROM prompts JOIN projects ON projects.id = prompts.project JOIN runs ON runs.id =
         (SELECT id FROM runs WHERE prompt = prompts.id AND state IN (${open_run_states}) ORDER BY +id LIMIT 1)
       WHERE prompts.configured = 1 ORDER BY runs.not_before_ms, runs.id`,
  )
  const of_configured = 'run IN (SELECT id FROM runs WHERE prompt IN (SELECT id FROM prompts WHERE configured = 1))'
  const due_deliveries = database.prepare(
    `SELECT run, target, attempts, wanted_ms, own_id FROM deliveries
       WHERE state = 'wanted' AND not_before_ms <= ? AND ${of_configured} ORDER BY not_before_ms, run, rowid LIMIT ?`,
  )
  const next_delivery = database
    .prepare(
      `SELECT min(not_before_ms) FROM deliveries WHERE state = 'wanted' AND not_before_ms > ? AND ${of_configured}`,
    )
    .pluck()

  function claimRuns(limit: number, { except, in_flight }: RunChoice, now_ms: number): Claimed<RunWork> {
    const oldest = oldest_runs.all() as DueRun[]
    const is_paused = pause.holds(now_ms)
    const due = oldest.filter(
      ({ id, state, not_before_ms, project_id }) =>
        not_before_ms <= now_ms &&
        !in_flight.includes(id) &&
        !except.includes(project_id) &&
        (!is_paused || states_in_pause.includes(state)),
    )
    const work = due.slice(0, limit).map(({ id }) => runWork(recorder.runs.get(id)!) as RunWork)
    return { work, next_due_ms: oldest.find(({ not_before_ms }) => not_before_ms > now_ms)?.not_before_ms }
  }

  function claimDeliveries(limit: number, in_flight: readonly DeliveryKey[], now_ms: number): Claimed<DeliveryWork> {
    if (pause.holds(now_ms)) return { work: [], next_due_ms: undefined }
    const rows = due_deliveries.all(now_ms, limit + in_flight.length) as DueDelivery[]
    const isInFlight = (row: DueDelivery) =>
      in_flight.some(({ run, target }) => run === row.run && target === row.target)
    const free = rows.filter((row) => !isInFlight(row)).slice(0, limit)
    const work = free.map(({ own_id, ...row }) => {
      const run = recorder.runs.get(row.run)!
      const has_id_of_run = own_id === 0
      const report_path = run.report_path ?? ''
      const written = { ...runWork(run), state: 'answered' as const, written_ms: run.ended_ms ?? row.wanted_ms }
      return { ...row, has_id_of_run, report_path, written }
    })
    return { work, next_due_ms: (next_delivery.get(now_ms) as number | null) ?? undefined }
  }

  function runWork(run: RunRow): Omit<RunWork, 'state'> & Pick<RunRow, 'state'> {
    const { id, due_ms, cause, state, began_ms, attempts, notes, coverage, turn, turns, mark_ms, chat_id } = run
    const { prompts, runs } = recorder
    const prompt = prompts.withId(run.prompt)!
    return {
      run: id,
      prompt: prompt.name,
      project_id: prompt.project_id,
      due_ms,
      cause,
      state,
      began_ms,
      prompt_began_ms: Math.min(prompt.began_ms, prompt.restored_ms ?? prompt.began_ms),
      attempts,
      notes,
      coverage,
      turn,
      turns,
      assets: runs.assets(id),
      refusals: runs.refusals(id),
      last_written_due_ms: mark_ms,
      chat_id,
    }
  }

  return { claimRuns, claimDeliveries }
}

export type RunClaims = ReturnType<typeof createRunClaims>
