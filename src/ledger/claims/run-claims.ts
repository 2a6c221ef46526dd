import type { Sqlite } from '../../base/files/sqlite.ts'
import { type DeliveryKey, deliveryName } from '../../domain/delivery.ts'
import type { Claimed } from '../ledger.ts'
import type { DeliveryWork, RunWork } from '../prompt-work.ts'
import type { RunRecorder } from '../record/record-run.ts'
import type { DeliveryRows } from '../rows/delivery-rows.ts'
import { promptBegan } from '../rows/prompt-rows.ts'
import { open_run_states, type RunRow } from '../rows/run-rows.ts'
import type { PauseRow } from '../rows/trouble-rows.ts'
import type { ClaimQuery } from './claim-queries.ts'

/** States that continue during a pause: an answer is awaited, and its report is written. */
const states_in_pause: readonly RunRow['state'][] = ['asked', 'answered']

interface DueRun {
  id: number
  state: RunRow['state']
  not_before_ms: number
  project_id: string
}

export interface DeliveryQuery {
  limit: number
  only_alerts: boolean
  in_flight: readonly DeliveryKey[]
}

interface DueDelivery {
  run: number | null
  alert: number | null
  target: string
  attempts: number
  wanted_ms: number
}

interface RunClaimParts {
  recorder: RunRecorder
  deliveries: DeliveryRows
  pause: PauseRow
}

/** Claims runs and deliveries that are due and not in flight. */
export function createRunClaims(database: Sqlite, { recorder, deliveries, pause }: RunClaimParts) {
  // The first run created of each prompt, not the first one due: a run by hand may have a later due
  // time than a run made up after it. Two runs planned at once would cover the same files.
  const oldest_runs = database.prepare(
    `SELECT runs.id, runs.state, runs.not_before_ms, projects.project_id
       FROM prompts JOIN projects ON projects.id = prompts.project JOIN runs ON runs.id =
         (SELECT id FROM runs WHERE prompt = prompts.id AND state IN (${open_run_states}) ORDER BY +id LIMIT 1)
       WHERE prompts.configured = 1 ORDER BY runs.not_before_ms, runs.id`,
  )
  const may_go = `state = 'wanted' AND (alert IS NOT NULL OR @only_alerts = 0
    AND run IN (SELECT id FROM runs WHERE prompt IN (SELECT id FROM prompts WHERE configured = 1)))`
  const due_deliveries = database.prepare(
    `SELECT run, alert, target, attempts, wanted_ms FROM deliveries WHERE ${may_go} AND not_before_ms <= @now_ms
       ORDER BY alert IS NULL, not_before_ms, run, rowid LIMIT @limit`,
  )
  const next_delivery = database
    .prepare(
      `SELECT min(not_before_ms) FROM deliveries WHERE ${may_go} AND not_before_ms > @now_ms`,
    )
    .pluck()

  function claimRuns(
    { limit, except_projects, in_flight }: ClaimQuery,
    now_ms: number,
  ): Claimed<RunWork> {
    const oldest = oldest_runs.all() as DueRun[]
    const is_paused = pause.holds(now_ms)
    const due = oldest.filter(
      ({ id, state, not_before_ms, project_id }) =>
        not_before_ms <= now_ms &&
        !in_flight.includes(id) &&
        !except_projects.includes(project_id) &&
        (!is_paused || states_in_pause.includes(state)),
    )
    const work = due.slice(0, limit).map(({ id }) => runWork(recorder.runs.get(id)!) as RunWork)
    return {
      work,
      next_due_ms: oldest.find(({ not_before_ms }) => not_before_ms > now_ms)?.not_before_ms,
    }
  }

  function claimDeliveries(query: DeliveryQuery, now_ms: number): Claimed<DeliveryWork> {
    const in_flight = new Set(query.in_flight.map(deliveryName))
    // A pause holds up calls to the service and reports, but not alerts.
    const choice = { only_alerts: query.only_alerts || pause.holds(now_ms) ? 1 : 0, now_ms }
    const due = due_deliveries.all({
      ...choice,
      limit: query.limit + in_flight.size,
    }) as DueDelivery[]
    const work = due
      .map((row) => deliveryWork(row))
      .filter((delivery) => !in_flight.has(deliveryName(delivery)))
      .slice(0, query.limit)
    return { work, next_due_ms: (next_delivery.get(choice) as number | null) ?? undefined }
  }

  function deliveryWork({ run, alert, ...row }: DueDelivery): DeliveryWork {
    if (run === null)
      return { ...row, alert: alert!, raised: deliveries.alert(alert!, row.wanted_ms) }
    const of_run = recorder.runs.get(run)!
    const written = {
      ...runWork(of_run),
      state: 'answered' as const,
      written_ms: of_run.ended_ms ?? row.wanted_ms,
    }
    return { ...row, run, report_path: of_run.report_path ?? '', written }
  }

  function runWork(run: RunRow): Omit<RunWork, 'state'> & Pick<RunRow, 'state'> {
    const {
      id,
      due_ms,
      cause,
      state,
      began_ms,
      attempts,
      notes,
      coverage,
      turn,
      turns,
      mark_ms,
      chat_id,
      empty,
    } = run
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
      prompt_began_ms: promptBegan(prompt),
      attempts,
      notes,
      coverage,
      turn,
      turns,
      assets: runs.assets(id),
      refusals: run.refusals,
      last_written_due_ms: mark_ms,
      chat_id,
      empty,
      last_answer: state === 'answered' ? runs.lastAnswer(run) : undefined,
    }
  }

  return { claimRuns, claimDeliveries }
}
