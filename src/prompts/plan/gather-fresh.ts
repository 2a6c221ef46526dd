import { pathMatcher } from '../../base/text/ignore-patterns.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Arrival, RunWork } from '../../ledger/prompt-work.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import type { FolderScan } from './coverage.ts'
import { asksForWhatCame, collectFresh, type FreshFound, freshQueryOf } from './fresh.ts'
import { maxTaken } from './question.ts'
import { noUnready, type Unready, UnreadyTally } from './unready.ts'

/** The ledger's data for a run, about files that its patterns match. */
export interface Gathered extends FreshFound {
  unready: Unready
  folders: FolderScan[]
}

/** The ledger, or a view of it. */
export interface FreshSource extends Pick<Ledger, 'arrivals' | 'unready'> {
  folders(): Promise<readonly FolderScan[]>
}

/** Extra assets, which replace those that are gone from the service. */
const extra = 1_000
/** Rows per page: between pages the ledger's thread serves other calls. */
const rows_a_page = 1_000

export async function gatherFresh(
  work: Pick<RunWork, 'prompt' | 'due_ms'>,
  settings: PromptSettings,
  ledger: FreshSource,
): Promise<Gathered> {
  const { folders, paths } = settings.scope
  if (folders.length === 0) return { fresh: [], more: 0, unready: noUnready(), folders: [] }
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
  return { fresh, more, unready: unready.found, folders: states }
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
