import type { RunView } from '../../ledger/views/view-prompts.ts'
import { type Configured, runHead } from '../../prompts/show/find-run.ts'
import type { StatusView } from '../../status/view.ts'
import type { Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { withOwnRuns } from './own-runs.ts'

/** Viewers with different folders whose last reports are kept. */
const max_known = 100

/** The last report of each prompt: its run, and its facts in a line. */
export type LastReports = Map<string, { run: number; line: string }>

type Known = Map<string, { runs: string; reports: LastReports }>

const known_of = new WeakMap<PageTools, Known>()

/** Reads them again only where a run has changed since. */
export async function lastReports(
  tools: PageTools,
  viewer: Viewer,
  { prompts }: StatusView,
): Promise<LastReports> {
  const known: Known = known_of.get(tools) ?? new Map()
  known_of.set(tools, known)
  const who = JSON.stringify([viewer.role, viewer.folders])
  const runs = JSON.stringify(prompts.map(({ last_run }) => last_run))
  const last = known.get(who)
  if (last?.runs === runs) return last.reports
  const reports = await withOwnRuns(tools, viewer, ({ config, lastReport, run }) => {
    const found = config.prompts.flatMap(({ name }) => {
      const written = lastReport(name)
      return written ? [[name, lineOf(run(written.run), config)] as const] : []
    })
    return new Map(found)
  })
  if (known.size >= max_known) known.clear()
  known.set(who, { runs, reports })
  return reports
}

function lineOf(run: RunView, config: Configured) {
  const { counts, coverage } = runHead(run, config)
  return { run: run.run, line: `${counts}; ${coverage}` }
}
