import { askingPaths } from '../../base/files/ask-paths.ts'
import type { Paths } from '../../base/files/paths.ts'
import { counted } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import { mayReadNames } from '../../domain/asset-name.ts'
import type { PromptsView, RunSummary, RunView } from '../../ledger/views/view-prompts.ts'
import { scopeIn } from '../../prompts/plan/question.ts'
import type { PromptSettings } from '../../prompts/prompt-settings.ts'
import { coverageOf } from '../../prompts/report/report.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { configFor, maySee, type Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { forReader } from './for-reader.ts'
import { notThere } from './with-daemon.ts'

/** Runs of a prompt among which the one before is searched: years of a daily prompt. */
const max_searched = 2_000
/** Runs of a prompt among which its last report is searched; most may be skipped. */
const max_skipped = 100

export type OwnRuns = ReturnType<typeof ownRunsIn> & { paths: Paths }

/**
 * Runs `use` with the prompts and runs that this viewer may know. It runs again where a report may
 * be on a disk that does not answer, so it must be synchronous and without effects.
 */
export function withOwnRuns<Answer>(
  { config }: Pick<PageTools, 'config'>,
  viewer: Viewer,
  use: (own: OwnRuns) => Answer,
): Promise<Answer> {
  return withPromptsView(config.state_dir, (view) =>
    askingPaths((paths) => use({ ...ownRunsIn(view, config, viewer), paths })),
  )
}

/** All calls that name something throw `page.not_there` for what the viewer may not know. */
function ownRunsIn(view: PromptsView | undefined, config: Config, viewer: Viewer) {
  const own = configFor(config, viewer)
  const sees_all = viewer.folders === 'all'
  const isIn = ({ prompts }: Config, prompt: string) => prompts.some(({ name }) => name === prompt)
  /** Names of prompts that left the configuration: nothing says any more whose they are. */
  const left =
    sees_all && viewer.role === 'operator'
      ? (view?.prompts() ?? []).map(({ name }) => name).filter((name) => !isIn(config, name))
      : []

  /** Undefined for a prompt that left the configuration. */
  function prompt(name: string): PromptSettings | undefined {
    if (!isIn(own, name) && !left.includes(name)) throw notThere()
    return own.prompts.find((settings) => settings.name === name)
  }

  const own_runs = new Map<number, RunView | undefined>()
  let hides_some = false
  /** Runs about files that the service has under names of other folders. */
  const with_other_names = new Set<number>()

  /** A run that is theirs, as are those before it in its chat, which its answer may use. */
  function ownRun(id: number): RunView | undefined {
    if (own_runs.has(id)) return own_runs.get(id)
    const run = runOver(id)
    const goes_on = !sees_all && run?.chat_id !== undefined
    const before = goes_on ? view?.beforeInChat(id, run.chat_id!) : undefined
    if (goes_on && before === undefined) hides_some = true
    own_runs.set(id, goes_on && !ownRun(before ?? 0) ? undefined : run)
    return own_runs.get(id)
  }

  /** A run over their folders. The scope of the prompt may have been another one when it ran. */
  function runOver(id: number): RunView | undefined {
    const run = Number.isSafeInteger(id) ? view?.run(id) : undefined
    if (!run || (!isIn(own, run.prompt) && !left.includes(run.prompt))) return undefined
    if (sees_all) return run
    const { asset_ids: _, ...others } = scopeIn(run.turns[0]?.body ?? '{}')
    const names = [...run.planned_assets, ...run.planned_refusals].map(
      ({ name }) => name.split('/', 1)[0]!,
    )
    const folders = [...names, ...coverageOf(run).folders.map(({ name }) => name)]
    if (Object.values(others).flat().length > 0 || !folders.every((name) => maySee(viewer, name)))
      return undefined
    // The answer cites a file by its name on the service, which may be that of a copy elsewhere.
    if (!mayReadNames(run.naming, (name) => maySee(viewer, name))) {
      with_other_names.add(id)
      return undefined
    }
    // Without a plan nothing says of which folders the reason speaks.
    return run.coverage === undefined ? { ...run, why: undefined, error: undefined } : run
  }

  function run(id: number): RunView {
    const found = ownRun(id)
    if (!found) throw notThere()
    return shown(found)
  }

  /** Reasons may name hosts and places of this machine, which are the operator's. */
  function shown<Run extends RunSummary>(of: Run): Run {
    const { why, error, coverage } = of as Partial<RunView>
    return viewer.role === 'operator'
      ? of
      : { ...of, ...forReader({ why, error, coverage }, config) }
  }

  /** Newest first. `from`: number of newer ones to leave out. */
  function history(name: string, from: number, limit: number): RunSummary[] {
    prompt(name)
    const runs = view?.runs(name, from + limit).slice(from) ?? []
    return (sees_all ? runs : runs.flatMap(({ run: id }) => ownRun(id) ?? [])).map(shown)
  }

  return {
    config: own,
    left,
    prompt,
    run,
    history,
    /** The newest report that is theirs. */
    lastReport: (name: string) =>
      history(name, 0, max_skipped).find(({ state }) => state === 'written'),
    /** True if one of those that were asked for is theirs, unless the first of its chat was not. */
    hidesSome: () => hides_some,
    /** Number of those asked for that are not theirs because of the names of files alone. */
    withOtherNames: () => with_other_names.size,
    /** The written run before this one; undefined without one. */
    before({ prompt: name, due_ms }: RunView): RunView | undefined {
      for (const other of view?.runs(name, max_searched) ?? []) {
        const found =
          other.due_ms < due_ms && other.state === 'written' ? ownRun(other.run) : undefined
        if (found) return found
      }
      return undefined
    },
  }
}

/** Why runs over the user's own folders are not shown. */
export function otherNamesText(runs: number): string {
  return `${counted(runs, 'run')} not shown to you: the service has files of these runs under names of folders that you do not see, or under names that Sluice does not know, and the reports may tell them.`
}
