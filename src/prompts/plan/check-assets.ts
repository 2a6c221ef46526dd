import { isUsable, type LossFact, lossOf } from '../../domain/asset.ts'
import type { Reading } from '../../domain/reading.ts'
import { type AssetRecord, walkAssets } from '../../remote/assets.ts'
import { judgeFailure } from '../../remote/judge-failure.ts'
import { type Failure, failureText, type Outcome } from '../../remote/outcome.ts'
import type { PromptScope } from '../prompt-settings.ts'
import { isNotFound, type RunTools } from '../run-tools.ts'

/** An asset that is ready in the ledger. */
export interface CheckedAsset {
  asset_id: string
  content: number
}

/** Parallel single reads: a question waits for them, but they must not slow down uploads. */
const reads_at_once = 4
/** Up to so many assets, single reads are as cheap as list pages. */
const max_single_reads = 20
/** Maximum number of list pages: recent assets are on the first ones, if the newest come first. */
function pagesFor(assets: number): number {
  return Math.ceil(assets / 50) + 4
}

export interface AssetsChecked {
  /** What became of the others, by content. */
  lost: Map<number, LossFact>
  /** How much of each asset the service could read, by asset; without those it does not say. */
  readings: Map<string, Reading>
}

/**
 * Checks that the service still has these assets and they are usable. From a list it trusts only
 * `ready`. A failure: the check was not possible.
 */
export async function checkAssets(
  project_id: string,
  assets: readonly CheckedAsset[],
  { remote, hard }: RunTools,
): Promise<Outcome<AssetsChecked>> {
  const unlisted = new Set(assets.map(({ asset_id }) => asset_id))
  const ready = new Set<string>()
  const readings = new Map<string, Reading>()
  const noteReading = ({ asset_id, reading }: AssetRecord) =>
    reading && readings.set(asset_id, reading)
  const max_pages = unlisted.size > max_single_reads ? pagesFor(assets.length) : 0
  for await (const outcome of walkAssets(remote, project_id, max_pages)) {
    if (!outcome.ok) return outcome
    for (const record of outcome.value.items) {
      if (!unlisted.delete(record.asset_id) || !isUsable(record)) continue
      ready.add(record.asset_id)
      noteReading(record)
    }
    if (unlisted.size <= max_single_reads) break
  }
  const singly = assets.filter(({ asset_id }) => !ready.has(asset_id))
  const lost = new Map<number, LossFact>()
  for (let from = 0; from < singly.length && !hard.aborted; from += reads_at_once) {
    const some = singly.slice(from, from + reads_at_once)
    const outcomes = await Promise.all(
      some.map(({ asset_id }) => remote.readAsset(project_id, asset_id)),
    )
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok && outcome.failure.about !== 'asset_gone') return outcome
      const asset = some[index]!
      const loss = lossOf(asset, outcome.ok ? outcome.value : 'gone')
      if (loss) lost.set(asset.content, loss)
      else if (outcome.ok) noteReading(outcome.value)
    }
  }
  return { ok: true, value: { lost, readings } }
}

type CheckedKinds = Pick<PromptScope, 'chats' | 'projects'>

/**
 * Omits chats and projects that the service does not have (for this token, in this project).
 * `notes` has a text for each. Concepts and views cannot be read, so only the answer to the
 * question shows whether they exist.
 */
export async function checkScope<Kinds extends CheckedKinds>(
  project_id: string,
  scope: Kinds,
  { remote }: Pick<RunTools, 'remote'>,
): Promise<Outcome<{ scope: Kinds; gone: string[]; notes: string[] }>> {
  const gone = new Set<string>()
  const notes: string[] = []
  for (const chat_id of scope.chats) {
    const outcome = await remote.listMessages(project_id, chat_id)
    if (outcome.ok) continue
    if (!isNotFound(outcome.failure)) return outcome
    gone.add(chat_id)
  }
  const others = scope.projects.filter((id) => id !== project_id)
  if (others.length > 0) {
    const outcome = await remote.listProjects()
    if (!outcome.ok && mayHoldUp(outcome.failure)) return outcome
    const known = outcome.ok ? outcome.value.map((project) => project.project_id) : others
    for (const id of others) {
      if (!known.includes(id)) gone.add(id)
    }
    if (!outcome.ok)
      notes.push(`${others.join(', ')}: not checked, since ${failureText(outcome.failure)}`)
  }
  const isThere = (id: string) => !gone.has(id)
  for (const id of gone)
    notes.push(`${id} is left out: the service does not have it, or the token has no access`)
  const left = {
    ...scope,
    chats: scope.chats.filter(isThere),
    projects: scope.projects.filter(isThere),
  }
  return { ok: true, value: { scope: left, gone: [...gone], notes } }
}

/** The list of projects only checks an id: a question needs it less than the answer about it. */
function mayHoldUp(failure: Failure): boolean {
  return failure.status === undefined || judgeFailure(failure, {}).blame !== 'none'
}

/** Message part about ids that may cause a 404 of the question, after the others were checked. */
export function uncheckedIds({ concepts, views }: Pick<PromptScope, 'concepts' | 'views'>): string {
  const ids = [...concepts, ...views]
  if (ids.length === 0) return ''
  return `; Sluice cannot check concepts and views: one of ${ids.join(', ')} may be gone`
}
