import type { StatusView } from '../../status/view.ts'
import type { Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { beginOf, reportBody, withOwnRuns } from './own-runs.ts'

/** Runs among which the last report of a prompt is searched; most may be skipped. */
const max_searched = 50

/** The last report of each prompt: its run, and how it begins. */
export type LastReports = Map<string, { run: number; begins: string }>

const known_of = new WeakMap<PageTools, { key: string; reports: Promise<LastReports> }>()

/** Reads them again only where a run has changed since. */
export function lastReports(tools: PageTools, viewer: Viewer, { prompts }: StatusView): Promise<LastReports> {
  const key = JSON.stringify([viewer.role, viewer.folders, prompts.map(({ last_run }) => last_run)])
  const known = known_of.get(tools)
  if (known?.key === key) return known.reports
  const reports = withOwnRuns(tools, viewer, ({ config, history, run }) => {
    const found = config.prompts.flatMap(({ name }) => {
      const last = history(name, 0, max_searched).find(({ state }) => state === 'written')
      return last ? [[name, { run: last.run, begins: beginOf(reportBody(run(last.run)).text) }] as const] : []
    })
    return new Map(found)
  })
  known_of.set(tools, { key, reports })
  return reports
}
