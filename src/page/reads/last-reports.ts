import { reportBody } from '../../prompts/show/run-answers.ts'
import type { StatusView } from '../../status/view.ts'
import type { Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { beginOf, withOwnRuns } from './own-runs.ts'

/** Viewers with different folders whose last reports are kept. */
const max_known = 100

/** The last report of each prompt: its run, and how it begins. */
export type LastReports = Map<string, { run: number; begins: string }>

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
  const reports = await withOwnRuns(tools, viewer, ({ config, lastReport, run, paths }) => {
    const found = config.prompts.flatMap(({ name }) => {
      const written = lastReport(name)
      return written
        ? [
            [
              name,
              { run: written.run, begins: beginOf(reportBody(run(written.run), paths).text) },
            ] as const,
          ]
        : []
    })
    return new Map(found)
  })
  if (known.size >= max_known) known.clear()
  known.set(who, { runs, reports })
  return reports
}
