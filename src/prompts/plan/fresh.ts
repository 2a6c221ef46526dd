import type { Reading } from '../../domain/reading.ts'
import type { RunAsset } from '../../domain/run.ts'
import type { Arrival, ArrivalQuery } from '../../ledger/prompt-work.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { ContentSet } from './unready.ts'

/** An asset that a run may cover, before a turn is chosen for it. */
export interface FreshAsset extends Omit<RunAsset, 'turn'> {
  /** Number of fresh files with these bytes that the scope matches. */
  files: number
  /** How much of it the service could read; undefined if nothing says so. */
  reading?: Reading | undefined
}

export interface FreshFound {
  /** At most as many as the caller wanted. */
  fresh: FreshAsset[]
  /** Number of fresh files beyond those of `fresh`. */
  more: number
}

/**
 * Collects one entry per content in the order of arrival. Contents that an earlier report covers
 * come last (a time span may cover them again), so that a limit never omits a content for ever.
 * Arrivals come in the order of (seq, path), so the first matching path is of the oldest arrival
 * and names the content. Beyond `max` it only counts, because a new archive may hold a million
 * files.
 */
export async function collectFresh(
  pages: AsyncIterable<readonly Arrival[]> | Iterable<Arrival>,
  { matches, max }: { matches(folder: string, path: string): boolean; max: number },
): Promise<FreshFound> {
  const found = new ContentSet()
  const kept_of = new Map<number, FreshAsset>()
  let files = 0
  const uncovered: FreshAsset[] = []
  const covered: FreshAsset[] = []
  for await (const page of pages) {
    for (const arrival of [page].flat()) {
      const { folder, path, covered: is_covered, ...arrived } = arrival
      const { content } = arrived
      if (!matches(folder, path)) continue
      files++
      const copy_of = kept_of.get(content)
      if (copy_of) copy_of.files++
      if (!found.add(content)) continue
      const kept = is_covered ? covered : uncovered
      if (kept.length >= max) continue
      const asset = { ...arrived, name: `${folder}/${path}`, files: 1 }
      kept_of.set(content, asset)
      kept.push(asset)
    }
  }
  const fresh = uncovered.concat(covered).slice(0, max)
  return { fresh, more: files - filesOf(fresh) }
}

/** Number of files of these assets, equal bytes counted for each path. */
export function filesOf(assets: readonly Pick<FreshAsset, 'files'>[]): number {
  return assets.reduce((sum, { files }) => sum + files, 0)
}

/** A time span begins before the due time, has no end, and includes covered contents. */
export function freshQueryOf(
  settings: Pick<PromptSettings, 'scope' | 'first_run'>,
  due_ms: number,
): Pick<ArrivalQuery, 'only_fresh' | 'only_come' | 'since_ms'> {
  const { fresh } = settings.scope
  const only_come = asksForWhatCame(settings)
  if (fresh === 'since_last_run') return { only_fresh: true, only_come }
  if (fresh === 'all') return { only_fresh: false, only_come }
  return { only_fresh: false, only_come, since_ms: due_ms - fresh.within_ms }
}

/** True if the prompt leaves out, and does not wait for, files older than their folder's setup. */
export function asksForWhatCame({
  scope,
  first_run,
}: Pick<PromptSettings, 'scope' | 'first_run'>): boolean {
  return first_run === 'from_now' && scope.fresh !== 'all'
}
