import { system_clock } from '../../base/time/time.ts'
import type { Config, PromptConfig } from '../../config/config.ts'
import { openSecrets } from '../../config/secrets.ts'
import { openRemote } from '../../daemon/open-remote.ts'
import type { RunAsset } from '../../domain/run.ts'
import { newTurn } from '../../domain/run-progress.ts'
import type { FreshView } from '../../ledger/views/view-arrivals.ts'
import { checkScope } from '../../prompts/plan/check-assets.ts'
import { coverageLine } from '../../prompts/plan/coverage.ts'
import { type Gathered, gatherFresh } from '../../prompts/plan/gather-fresh.ts'
import { composePlan, labelIds, missingLabel } from '../../prompts/plan/plan-run.ts'
import { closingQuestion, requestBody } from '../../prompts/plan/question.ts'
import { noUnready } from '../../prompts/plan/unready.ts'
import { coverageOf } from '../../prompts/report/report.ts'
import { withFreshView } from '../../status/with-view.ts'
import { failureOf } from './ask-question.ts'

/** The plan of a run that would come due now. */
export interface DryRun {
  /**
   * The exact request bodies, one for each turn; empty if nothing is asked. With several turns, the
   * last one asks over their chat, whose id is `…` until it exists.
   */
  bodies: readonly string[]
  /** Chat that the first turn would continue; undefined: a new one. */
  chat_id: string | undefined
  assets: readonly RunAsset[]
  coverage: string | undefined
  notes: readonly string[]
  /** Reason for which it would ask nothing; undefined if it would ask. */
  why: string | undefined
}

/**
 * Plans a run from the ledger, without sending, recording or waiting for files. Only labels, chats
 * and projects of the scope are read from the service. Errors: `account.*`, `answer.not_asked` if
 * they cannot be read.
 */
export async function dryRun(settings: PromptConfig, config: Config, now_ms: number): Promise<DryRun> {
  const { scope, label_ids, notes } = await readScope(settings, config)
  const there = { ...settings, scope }
  return withFreshView(config.state_dir, (view) => planned(there, { view, label_ids, notes, now_ms }))
}

async function planned(
  settings: PromptConfig,
  { view, label_ids, notes: scope_notes, now_ms }: { view: FreshView | undefined; now_ms: number } & ReadScope,
): Promise<DryRun> {
  const state = view?.prompt(settings.name)
  const gathered = view ? await gather(settings, view, now_ms) : nothing
  // A prompt that no daemon has loaded begins when one does, so nothing is new for it yet.
  const is_before_all = !state && settings.first_run === 'from_now' && settings.scope.fresh === 'since_last_run'
  const none_yet = is_before_all ? { fresh: [], more: 0 } : {}
  const fact = composePlan({ run: 0, due_ms: now_ms, last_written_due_ms: state?.last_written_due_ms }, settings, {
    ...gathered,
    ...none_yet,
    label_ids,
    state,
    notes: scope_notes,
  })
  const none = { bodies: [], chat_id: undefined, assets: [], coverage: undefined, notes: [] }
  if (fact.type === 'run_skipped') return { ...none, why: fact.why }
  if (fact.type === 'run_failed') return { ...none, why: fact.error.message }
  const { bodies, chat_id, assets, coverage, notes = [] } = fact.plan
  const line = coverageLine(coverageOf({ coverage, due_ms: now_ms }), settings.schedule.timezone)
  return { bodies: withClosing(bodies, settings, chat_id), chat_id, assets, coverage: line, notes, why: undefined }
}

/** With several turns, the last one asks over the chat of the others. */
function withClosing(bodies: readonly string[], settings: PromptConfig, chat_id = '…'): readonly string[] {
  if (bodies.length < 2) return bodies
  const turns = bodies.map(newTurn)
  return bodies.with(-1, requestBody(closingQuestion(settings, { turns }, chat_id)))
}

const nothing: Gathered = { fresh: [], more: 0, unready: noUnready(), folders: [] }

/** A run would scan the folders first; here the last scan counts as that one. */
async function gather(settings: PromptConfig, view: FreshView, now_ms: number): Promise<Gathered> {
  const gathered = await gatherFresh({ prompt: settings.name, due_ms: now_ms }, settings, view)
  const folders = gathered.folders.map((folder) => ({
    ...folder,
    scan_began_ms: folder.scan_ended_ms === undefined ? undefined : now_ms,
  }))
  return { ...gathered, folders }
}

interface ReadScope {
  label_ids: readonly string[]
  /** Parts of the scope that were left out, and why. */
  notes: readonly string[]
}

/** Finds out which parts of the scope exist on the service. */
async function readScope(
  { project_id, scope }: PromptConfig,
  config: Config,
): Promise<ReadScope & Pick<PromptConfig, 'scope'>> {
  if ([scope.labels, scope.chats, scope.projects].every((ids) => ids.length === 0)) {
    return { scope, label_ids: [], notes: [] }
  }
  const { secrets } = openSecrets(config)
  const remote = openRemote(config, () => secrets.token(), system_clock)
  try {
    const labels = await labelIds(project_id, scope, { remote })
    if (!labels.ok) throw failureOf(labels.failure)
    const checked = await checkScope(project_id, scope, { remote })
    if (!checked.ok) throw failureOf(checked.failure)
    const notes = [...labels.value.missing.map(missingLabel), ...checked.value.notes]
    return { scope: checked.value.scope, label_ids: labels.value.ids, notes }
  } finally {
    await remote.close()
  }
}
