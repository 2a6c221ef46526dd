import { pathMatcher } from '../../base/text/ignore-patterns.ts'
import type { Change } from '../../domain/run.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Arrival, RunWork } from '../../ledger/prompt-work.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import type { FolderScan } from './coverage.ts'
import { asksForWhatCame, collectFresh, type FreshFound, freshQueryOf } from './fresh.ts'
import { type NetChange, netChanges } from './net-changes.ts'
import { maxTaken } from './question.ts'
import { noUnready, type Unready, UnreadyTally } from './unready.ts'

/** The ledger's data for a run, about files that its patterns match. */
export interface Gathered extends FreshFound {
  unready: Unready
  folders: FolderScan[]
  /** What else happened since the last report. */
  changes: readonly NetChange[]
  /** The newest change among them; undefined without folders. */
  changes_to: number | undefined
}

export const nothing_gathered: Gathered = {
  fresh: [],
  more: 0,
  unready: noUnready(),
  folders: [],
  changes: [],
  changes_to: undefined,
}

/** The ledger, or a view of it. */
export interface FreshSource extends Pick<Ledger, 'arrivals' | 'unready' | 'changes'> {
  folders(): Promise<readonly FolderScan[]>
}

/** Extra assets, which replace those that are gone from the service. */
const extra = 1_000
/** Rows per page: between pages the ledger's thread serves other calls. */
const rows_a_page = 1_000
/** A report of more changes helps nobody. The next report begins with those past it. */
const max_changes = 100_000

export async function gatherFresh(
  work: Pick<RunWork, 'prompt' | 'due_ms'>,
  settings: PromptSettings,
  ledger: FreshSource,
): Promise<Gathered> {
  const { folders, paths } = settings.scope
  if (folders.length === 0) return nothing_gathered
  const matches = pathMatcher(paths)
  const { fresh, more } = await collectFresh(arrivalPages(work, settings, ledger), {
    matches: (_, path) => matches(path),
    max: maxTaken(settings) + extra,
  })
  const unready = new UnreadyTally()
  let after: { folder: string; path: string } | undefined
  do {
    const page = await ledger.unready({
      prompt: work.prompt,
      folders,
      only_come: asksForWhatCame(settings),
      after,
      limit: rows_a_page,
    })
    for (const file of page.files) {
      if (matches(file.path)) unready.add(file)
    }
    after = page.next
  } while (after !== undefined)
  const states = (await ledger.folders()).filter(({ name }) => folders.includes(name))
  const changed = await gatherChanges(work.prompt, settings, ledger)
  return { fresh, more, unready: unready.found, folders: states, ...changed }
}

async function gatherChanges(
  prompt: string,
  settings: PromptSettings,
  ledger: FreshSource,
): Promise<Pick<Gathered, 'changes' | 'changes_to'>> {
  const { folders, paths } = settings.scope
  const only_come = asksForWhatCame(settings)
  const matches = pathMatcher(paths)
  const found: Change[] = []
  let after: number | undefined
  for (let read = 0, has_next = true; has_next && read < max_changes; read += rows_a_page) {
    const page = await ledger.changes({ prompt, folders, only_come, after, limit: rows_a_page })
    for (const change of page.changes) {
      if (matches(change.path)) found.push(change)
    }
    after = page.to
    has_next = page.has_next
  }
  return { changes: netChanges(found), changes_to: after }
}

async function* arrivalPages(
  { prompt, due_ms }: Pick<RunWork, 'prompt' | 'due_ms'>,
  settings: PromptSettings,
  ledger: FreshSource,
): AsyncGenerator<readonly Arrival[]> {
  const query = {
    prompt,
    folders: settings.scope.folders,
    ...freshQueryOf(settings, due_ms),
    limit: rows_a_page,
  }
  let after: { seq: number; path: string } | undefined
  do {
    const page = await ledger.arrivals({ ...query, after })
    yield page.arrivals
    after = page.next
  } while (after !== undefined)
}
