import { FolderRows } from './folder-rows.ts'
import { openLedgerReadOnly } from './open-read-only.ts'
import { PromptQueries } from './prompt-queries.ts'
import { PromptRows } from './prompt-rows.ts'
import type { ArrivalPage, ArrivalQuery, PromptState, UnreadyPage, UnreadyQuery } from './prompt-work.ts'
import { type FolderView, readFolders } from './view-folders.ts'

/** What a run would be planned from, as the ledger answers it; reads only, beside a daemon at work or without one. */
export interface FreshView {
  folders(): Promise<FolderView[]>
  arrivals(query: ArrivalQuery): Promise<ArrivalPage>
  unready(query: UnreadyQuery): Promise<UnreadyPage>
  /** Undefined for a prompt that no daemon has met yet: then everything is fresh, or nothing (first_run). */
  prompt(name: string): PromptState | undefined
  close(): void
}

/** Errors: `database.missing` before the first run, `account.no_right`, `database.newer`, `database.damaged`. */
export function openFreshView(state_dir: string): FreshView {
  const database = openLedgerReadOnly(state_dir)
  const queries = new PromptQueries(database, new FolderRows(database))
  const prompts = new PromptRows(database)
  return {
    folders: async () => readFolders(database),
    arrivals: async (query) => queries.arrivals(query, prompts.named(query.prompt)),
    unready: async (query) => queries.unready(query, prompts.named(query.prompt)),
    prompt: (name) => prompts.states().find((state) => state.name === name),
    close: () => database.close(),
  }
}
