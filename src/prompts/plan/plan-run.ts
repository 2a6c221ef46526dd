import { isDeepStrictEqual } from 'node:util'
import { isSluiceError } from '../../base/run/errors.ts'
import type { LossFact } from '../../domain/asset.ts'
import type { AuditFact } from '../../domain/audit.ts'
import type { Reading } from '../../domain/reading.ts'
import type { RunFact } from '../../domain/run.ts'
import type { PromptState, RunWork } from '../../ledger/prompt-work.ts'
import type { Outcome } from '../../remote/outcome.ts'
import type { PromptScope, PromptSettings } from '../prompt-settings.ts'
import { afterFailure, type RunTools } from '../run-tools.ts'
import { known_notes } from '../words.ts'
import { checkAssets, checkScope } from './check-assets.ts'
import { composeCoverage, nothingNewText, unnamedChanges } from './coverage.ts'
import { asksForWhatCame, type FreshAsset } from './fresh.ts'
import { type Gathered, gatherFresh } from './gather-fresh.ts'
import {
  composeTurns,
  maxTaken,
  requestBody,
  sinceOf,
  type Turns,
  type TurnsWanted,
} from './question.ts'
import { readingOf } from './reading-of.ts'
import { max_named } from './unready.ts'

/** Reason to plan a run again, before the service has accepted any of it. */
export interface PlanChange {
  /** The chat is gone, so the run needs a new one. */
  drop_chat?: boolean
  /** A refused body that may be too long. */
  shorter_than?: string
  /** The service refused to read every file. */
  only_search?: boolean
}

/** Note for users who try a prompt on a folder full of files. */
const left_out_at_first =
  'files older than the setup of their folder are left out (first_run: from_now)'

/** Each round replaces missing assets. After the last one only existing assets are asked about. */
const max_rounds = 3

/**
 * Chooses the assets of a run (fresh and still on the service), its label ids, and the number of
 * turns. It asks no question, and records assets that the service has lost. If nothing is new, the
 * run is skipped, or asks about the other kinds of its scope. It never has an empty scope, which
 * would mean everything.
 */
export async function planRun(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
  change: PlanChange = {},
): Promise<RunFact[]> {
  const labels = await labelIds(work.project_id, settings.scope, tools)
  if (!labels.ok) return afterFailure(labels.failure, work, tools)
  const checked = await checkScope(work.project_id, settings.scope, tools)
  if (!checked.ok) return afterFailure(checked.failure, work, tools)
  const wanted = change.only_search ? 'search' : settings.read
  const read = await readingOf({ ...settings, read: wanted }, tools)
  if (!read.ok) return afterFailure(read.failure, work, tools)
  const there = { ...settings, read: read.value, scope: checked.value.scope }
  const notes = [...notesOf(labels.value.missing, change), ...checked.value.notes]
  const gathered = await gatherChecked(work, settings, tools, notes)
  if (!gathered.ok) return afterFailure(gathered.failure, work, tools)
  // Dropped midway: not everything is checked.
  if (tools.hard.aborted) return []
  const state = (await tools.ledger.prompts()).find(({ name }) => name === settings.name)
  return [
    composePlan(
      work,
      there,
      { ...gathered.value, label_ids: labels.value.label_ids, state, notes },
      change,
    ),
  ]
}

export interface Findings extends Gathered {
  label_ids: readonly string[]
  state: Pick<PromptState, 'began_ms' | 'chat_id'> | undefined
  notes: readonly string[]
}

/** Makes the plan as a pure function: it reads and sends nothing. */
export function composePlan(
  { run, due_ms, last_written_due_ms }: Pick<RunWork, 'run' | 'due_ms' | 'last_written_due_ms'>,
  settings: PromptSettings,
  { label_ids, state, notes, ...gathered }: Findings,
  change: PlanChange = {},
): Extract<RunFact, { type: 'run_planned' | 'run_skipped' | 'run_failed' }> {
  const { scope } = settings
  const { chats: chat_ids, concepts: concept_ids, projects: project_ids, views: view_ids } = scope
  const ids = { label_ids, chat_ids, concept_ids, project_ids, view_ids }
  const has_others = Object.values(ids).some((list) => list.length > 0)
  const left_are = scope.fresh === 'since_last_run' ? ('next time' as const) : ('left out' as const)
  const { fresh, unready, changes } = gathered
  const seen = { ...gathered, due_ms, left_are }
  const first_since_ms = settings.first_run === 'from_now' ? state?.began_ms : undefined
  const since = { since_ms: last_written_due_ms, first_since_ms }
  if (fresh.length === 0) {
    if (scope.folders.length > 0 && settings.when_nothing_new === 'skip') {
      const coverage = composeCoverage({ ...seen, taken: [] })
      const why = nothingNewText(
        coverage,
        settings.schedule.timezone,
        sinceOf({ settings, run: { due_ms }, ...since }),
      )
      const is_first = last_written_due_ms === undefined && asksForWhatCame(settings)
      return {
        type: 'run_skipped',
        run,
        why: [why, ...notes, ...(is_first ? [left_out_at_first] : [])].join('; '),
      }
    }
    if (!has_others) return nothingLeft(run, settings, notes)
  }
  const turns = turnsOf(run, {
    settings,
    run: { due_ms },
    assets: fresh,
    ids,
    ...since,
    shorter_than: change.shorter_than,
  })
  if ('type' in turns) return turns
  const taken = fresh.slice(0, turns.assets.length)
  const coverage = composeCoverage({ ...seen, taken })
  const plan = {
    bodies: turns.bodies.map(requestBody),
    chat_id: settings.continue_chat && !change.drop_chat ? state?.chat_id : undefined,
    assets: turns.assets,
    refusals: unready.refusals,
    coverage: JSON.stringify(coverage),
    notes,
    changes_to: gathered.changes_to,
    changed: unnamedChanges(changes, taken).slice(0, max_named),
  }
  return { type: 'run_planned', run, plan }
}

/** Said beside an answer for which every file was to be read. */
export const searched_only = known_notes.only_search

export function missingLabel(name: string): string {
  return `the label "${name}" is left out: the service does not have it`
}

function notesOf(
  missing_labels: readonly string[],
  { drop_chat, shorter_than, only_search }: PlanChange,
): string[] {
  const notes = missing_labels.map(missingLabel)
  if (drop_chat) notes.push(known_notes.chat_gone)
  if (shorter_than !== undefined) notes.push(known_notes.shorter)
  if (only_search) notes.push(searched_only)
  return notes
}

/** A prompt that is too long without its files fails at every try, so the operator must act. */
function turnsOf(
  run: number,
  wanted: TurnsWanted,
): Turns | Extract<RunFact, { type: 'run_failed' }> {
  try {
    return composeTurns(wanted)
  } catch (error) {
    if (!isSluiceError(error, 'prompts.too_long')) throw error
    const { code, message, hint } = error
    return { type: 'run_failed', run, error: { code, message: `${message}; ${hint}` } }
  }
}

/** Everything that the prompt asks about is missing, so the operator must act. */
function nothingLeft(
  run: number,
  { name }: PromptSettings,
  notes: readonly string[],
): Extract<RunFact, { type: 'run_failed' }> {
  const why = ['there is nothing to ask about', ...notes].join('; ')
  const message = `${why}. Check the scope of the prompt ${name} in the config, and the labels on the service`
  return { type: 'run_failed', run, error: { code: 'prompts.empty_scope', message } }
}

/** Fresh assets, without those that the service lost or cannot use. */
async function gatherChecked(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
  notes: string[],
): Promise<Outcome<Gathered>> {
  const gathered = await gatherFresh(work, settings, tools.ledger)
  let fresh = gathered.fresh
  const there = new Set<number>()
  let has_lost = false
  for (let round = 0; round < max_rounds; round++) {
    const unchecked = fresh
      .slice(0, maxTaken(settings))
      .filter(({ content }) => !there.has(content))
    if (unchecked.length === 0) break
    const checked = await checkAssets(work.project_id, unchecked, tools)
    if (!checked.ok) return checked
    const { lost, readings } = checked.value
    const facts = [...lost.values(), ...factsOfReadings(unchecked, readings)]
    if (facts.length > 0) await tools.ledger.record(facts)
    for (const { name, content } of unchecked) {
      const loss = lost.get(content)
      if (loss) notes.push(`${name} ${said_of[loss.type]}: left out`)
      else there.add(content)
    }
    if (lost.size > 0) has_lost = true
    fresh = fresh
      .filter(({ content }) => !lost.has(content))
      .map((asset) => ({ ...asset, reading: readings.get(asset.asset_id) ?? asset.reading }))
  }
  const is_checked = fresh.slice(0, maxTaken(settings)).every(({ content }) => there.has(content))
  if (!is_checked) fresh = fresh.filter(({ content }) => there.has(content))
  // The coverage must show the assets just found gone, failed or in ingest as not ready.
  const { unready } = has_lost ? await gatherFresh(work, settings, tools.ledger) : gathered
  return { ok: true, value: { ...gathered, fresh, unready } }
}

/** Facts about assets that the service read further, or worse, since the ledger learned of it. */
function factsOfReadings(
  assets: readonly FreshAsset[],
  readings: ReadonlyMap<string, Reading>,
): AuditFact[] {
  return assets.flatMap(({ content, asset_id, reading: known }) => {
    const reading = readings.get(asset_id)
    if (reading === undefined || isDeepStrictEqual(reading, known)) return []
    return [{ type: 'asset_confirmed', content, reading }]
  })
}

const said_of: Record<LossFact['type'], string> = {
  asset_missing: 'was removed on the service',
  asset_unready: 'is being read again by the service',
  asset_failed: 'cannot be used by the service any more',
}

/** Finds labels by name. The service does not know the names in `missing`. */
export async function labelIds(
  project_id: string,
  { labels }: Pick<PromptScope, 'labels'>,
  { remote }: Pick<RunTools, 'remote'>,
): Promise<Outcome<{ label_ids: string[]; missing: string[]; known: string[] }>> {
  if (labels.length === 0) return { ok: true, value: { label_ids: [], missing: [], known: [] } }
  const listed = await remote.listLabels(project_id)
  if (!listed.ok) return listed
  const known = listed.value.map(({ name }) => name)
  const ids = labels.flatMap((label) =>
    listed.value.filter(({ name }) => name === label).map(({ label_id }) => label_id),
  )
  const missing = labels.filter((name) => !known.includes(name))
  return { ok: true, value: { label_ids: [...new Set(ids)], missing, known } }
}
