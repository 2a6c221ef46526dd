import { direct_paths, type Paths, readSmallText } from '../../base/files/paths.ts'
import { causeOf, codeOf } from '../../base/run/errors.ts'
import { isoTime, isoTimeOrNull, localTime } from '../../base/time/time.ts'
import type {
  DeliveryView,
  PromptsView,
  RunSummary,
  RunView,
} from '../../ledger/views/view-prompts.ts'
import { coverageLine } from '../plan/coverage.ts'
import { nextTimes } from '../plan/schedule.ts'
import { coverageOf } from '../report/report.ts'
import { type ToldFile, toldFiles } from '../report/told.ts'
import { type Configured, receiverOf, zoneOf } from './find-run.ts'

export function listPrompts(
  view: PromptsView | undefined,
  { prompts }: Configured,
  now_ms: number,
) {
  return prompts.map((settings) => ({
    settings,
    last: view?.runs(settings.name, 1)[0],
    next: nextTimes(settings.schedule, now_ms, 1)[0],
  }))
}

/** A prompt of the list as JSON. */
export function promptAnswer(
  { settings, last, next }: ReturnType<typeof listPrompts>[number],
  config: Configured,
) {
  const { name, project_id, schedule, scope } = settings
  return {
    name,
    project_id,
    schedule,
    folders: scope.folders,
    last_run: last ? runAnswer(last, config) : null,
    next: next ? { at: isoTime(next.at_ms), local: next.text } : null,
  }
}

/** Why the run was skipped, failed or empty, or why it was deferred last. */
export function whyText({
  why,
  empty,
  error,
}: Pick<RunSummary, 'why' | 'empty' | 'error'>): string | undefined {
  return why ?? empty ?? error?.message
}

/** The answer of the last turn, which covers all turns. */
export function answerOf({ turns }: Pick<RunView, 'turns'>): string {
  return turns.at(-1)?.answer ?? ''
}

/** A run as JSON. Times are ISO 8601 UTC; null: not known, or none. */
export function runAnswer(run: RunSummary, config: Configured) {
  const {
    run: number,
    prompt,
    due_ms,
    cause,
    state,
    began_ms,
    ended_ms,
    assets,
    files,
    refusals,
    report_path,
  } = run
  return {
    run: number,
    prompt,
    due: isoTime(due_ms),
    due_local: localTime(due_ms, zoneOf(prompt, config)),
    cause,
    state,
    why: whyText(run) ?? null,
    empty: run.empty ?? null,
    began: isoTime(began_ms),
    ended: isoTimeOrNull(ended_ms),
    assets,
    files,
    refusals,
    report: report_path ?? null,
  }
}

/** How complete the report of a run is; undefined before it is written. */
export function coverageText(run: RunView, config: Configured): string | undefined {
  return run.coverage === undefined
    ? undefined
    : coverageLine(coverageOf(run), zoneOf(run.prompt, config), toldOf(run))
}

export function deliveryAnswer(delivery: DeliveryView, config: Configured) {
  const { target, state, attempts, not_before_ms, ended_ms, error, output } = delivery
  return {
    target,
    receiver: receiverOf(delivery, config),
    state,
    attempts,
    ended: isoTimeOrNull(ended_ms),
    next_try: state === 'wanted' ? isoTime(not_before_ms) : null,
    error: error ?? null,
    output: output ?? null,
  }
}

/** The files of a written run; undefined before it has its answers. */
function toldOf({ state, planned_assets: assets, turns, empty }: RunView): ToldFile[] | undefined {
  return state === 'written' ? toldFiles({ assets, turns, empty }) : undefined
}

export function wholeAnswer(run: RunView, config: Configured) {
  const left = new Set(
    toldOf(run)?.flatMap(({ fate, asset_id }) => (fate === 'left' ? asset_id : [])),
  )
  const assets = run.planned_assets.map(({ name, asset_id, md5, size, turn }) => {
    return { name, asset_id, md5, size, turn }
  })
  return {
    ...runAnswer(run, config),
    coverage: coverageText(run, config) ?? null,
    notes: run.notes,
    turns: run.turns.map(({ body, chat_id, message_id, asked_ms, answered_ms, answer }) => ({
      body,
      chat_id: chat_id ?? null,
      message_id: message_id ?? null,
      asked: isoTimeOrNull(asked_ms),
      answered: isoTimeOrNull(answered_ms),
      answer: answer ?? null,
    })),
    covered: assets.filter(({ asset_id }) => !left.has(asset_id)),
    left: assets.filter(({ asset_id }) => left.has(asset_id)),
    refused: run.planned_refusals.map(({ content: _, ...refusal }) => refusal),
    deliveries: run.deliveries.map((delivery) => deliveryAnswer(delivery, config)),
  }
}

/** Reports are smaller than 1 MB. A larger file is not from Sluice. */
const largest_report_bytes = 16 * 1_048_576

/**
 * The report from the disk, or else the answer from the ledger. `lost`: why the report of a written
 * run cannot be read.
 */
export function reportOf(
  { report_path, turns }: RunView,
  paths = direct_paths,
): { text: string; lost?: string } {
  if (report_path === undefined) return { text: answerOf({ turns }) }
  try {
    return { text: readSmallText(report_path, largest_report_bytes, paths) }
  } catch (error) {
    const lost = codeOf(error) === 'ENOENT' ? 'it is not there any more' : causeOf(error)
    return { text: answerOf({ turns }), lost }
  }
}

/** As `reportOf`, without the front matter of the file. */
export function reportBody(run: RunView, paths: Paths): { text: string; lost?: string } {
  const { text, ...rest } = reportOf(run, paths)
  const is_file = run.report_path !== undefined && rest.lost === undefined
  return { text: is_file ? text.replace(/^---\n[\s\S]*?\n---\n+/, '') : text, ...rest }
}
