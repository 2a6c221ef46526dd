import { isSluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { minute_ms } from '../../base/time/time.ts'
import type { RunAsset } from '../../domain/run.ts'
import { newTurn } from '../../domain/run-progress.ts'
import type { FreshView } from '../../ledger/views/view-arrivals.ts'
import type { WithRemote } from '../../remote/open-remote.ts'
import { lookUpScope } from '../ask/ask-question.ts'
import { aboutCalls } from '../plan/about-calls.ts'
import { coverageLine } from '../plan/coverage.ts'
import { type Gathered, gatherFresh, nothing_gathered } from '../plan/gather-fresh.ts'
import { composePlan, missingLabel } from '../plan/plan-run.ts'
import { closingQuestion, requestBody } from '../plan/question.ts'
import { readingOf } from '../plan/reading-of.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { coverageOf } from '../report/report.ts'

/** The plan of a run that would come due now. */
export interface DryRun {
  /**
   * The exact request bodies, one for each turn; empty if nothing is asked. With several turns, the
   * last one asks over their answers, and their chats, whose ids are `…` until they exist.
   */
  bodies: readonly string[]
  /** Chat that the only or last turn would continue; undefined: a new one. */
  chat_id: string | undefined
  /** About how many calls of a model it takes; 0 if nothing is asked. */
  calls: number
  assets: readonly RunAsset[]
  /** Further files with the bytes of these assets. */
  copies: number
  coverage: string | undefined
  notes: readonly string[]
  /** Reason for which it would ask nothing; undefined if it would ask. */
  why: string | undefined
}

/** A dry run reads from these. `withRemote` is called only if the scope has to be looked up. */
export interface DryRunTools {
  view: FreshView | undefined
  withRemote: WithRemote
  now_ms: number
}

/**
 * Plans a run from the ledger, without sending, recording or waiting for files. Only labels, chats,
 * projects and skills are read from the service. Errors: `account.*`, `answer.not_asked` if
 * they cannot be read.
 */
export async function dryRun(settings: PromptSettings, tools: DryRunTools): Promise<DryRun> {
  const { project_id, scope } = settings
  const { read, unsure } = await readingNow(settings, tools)
  const is_sure = [scope.labels, scope.chats, scope.projects].every((ids) => ids.length === 0)
  if (is_sure) return planned({ ...settings, read }, tools, [], unsure)
  const found = await tools.withRemote((remote) => lookUpScope(project_id, scope, remote))
  const notes = [...unsure, ...found.missing.map(missingLabel), ...found.notes]
  return planned({ ...settings, read, scope: found.scope }, tools, found.label_ids, notes)
}

/** Without the service, it is planned as for one that searches. */
async function readingNow(settings: PromptSettings, { withRemote }: DryRunTools) {
  if (settings.read !== undefined) return { read: settings.read, unsure: [] }
  try {
    const found = await withRemote((remote) => readingOf(settings, { remote }))
    if (found.ok) return { read: found.value, unsure: [] }
  } catch (error) {
    if (!isSluiceError(error)) throw error
  }
  return { read: 'search' as const, unsure: [unsure_reading] }
}

const unsure_reading =
  'the service could not be asked whether it reads every file, which takes more calls'

/** The cost of a run in words. */
export function callsText({ bodies, calls }: Pick<DryRun, 'bodies' | 'calls'>): string {
  const about = `about ${counted(calls, 'call')} of the model`
  return calls > bodies.length ? `${about} (${bodies.length} with read: search)` : about
}

async function planned(
  settings: PromptSettings,
  { view, now_ms }: DryRunTools,
  label_ids: readonly string[],
  scope_notes: readonly string[],
): Promise<DryRun> {
  const state = view?.prompt(settings.name)
  const gathered = view ? await gather(settings, view, now_ms) : nothing_gathered
  // A prompt that no daemon has loaded begins when one does, so nothing is new for it yet.
  const is_before_all =
    !state && settings.first_run === 'from_now' && settings.scope.fresh === 'since_last_run'
  const none_yet = is_before_all ? { fresh: [], more: 0 } : {}
  // As a time of the schedule is. What is new depends on `now_ms`.
  const due_ms = now_ms - (now_ms % minute_ms)
  const fact = composePlan(
    { run: 0, due_ms, last_written_due_ms: state?.last_written_due_ms },
    settings,
    {
      ...gathered,
      ...none_yet,
      label_ids,
      state,
      notes: scope_notes,
    },
  )
  const none = {
    bodies: [],
    chat_id: undefined,
    assets: [],
    calls: 0,
    copies: 0,
    coverage: undefined,
    notes: [],
  }
  if (fact.type === 'run_skipped') return { ...none, why: fact.why }
  if (fact.type === 'run_failed') return { ...none, why: fact.error.message }
  const { bodies, chat_id, assets, notes = [] } = fact.plan
  const coverage = coverageOf({ coverage: fact.plan.coverage, due_ms })
  return {
    bodies: withClosing(bodies, settings),
    chat_id,
    calls: aboutCalls(bodies, assets),
    assets,
    copies: coverage.copies,
    coverage: coverageLine(coverage, settings.schedule.timezone),
    notes,
    why: undefined,
  }
}

function withClosing(bodies: readonly string[], settings: PromptSettings): readonly string[] {
  if (bodies.length < 2) return bodies
  const turns = bodies.map((body) => ({ ...newTurn(body), chat_id: '…' }))
  return bodies.with(-1, requestBody(closingQuestion(settings, { turns }, 0)))
}

/** A run would scan the folders first; here the last scan counts as that one. */
async function gather(
  settings: PromptSettings,
  view: FreshView,
  now_ms: number,
): Promise<Gathered> {
  const gathered = await gatherFresh({ prompt: settings.name, due_ms: now_ms }, settings, view)
  const folders = gathered.folders.map((folder) => ({
    ...folder,
    scan_began_ms: folder.scan_ended_ms === undefined ? undefined : now_ms,
  }))
  return { ...gathered, folders }
}
