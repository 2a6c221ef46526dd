import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { askingPaths, isNoAnswer, noAnswer } from '../base/files/ask-paths.ts'
import { callApart } from '../base/files/call-apart.ts'
import { causeOf, codeOf, messageOf } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'
import type { RunFact } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { manifestPath, max_manifest_bytes, parseManifest } from './manifest.ts'
import type { PromptSettings } from './prompt-settings.ts'
import type { PromptReport } from './run-tools.ts'

/**
 * Facts about all prompts of the config. For prompts without any run in the ledger, they include
 * what the reports on disk cover. All go into one transaction: a prompt that is known without its
 * reports would cover their files again. The caller records them before any prompt may become due.
 */
export async function factsOfPrompts(
  ledger: Ledger,
  prompts: readonly PromptSettings[],
  report: PromptReport,
): Promise<RunFact[]> {
  const known = new Set(
    (await ledger.prompts()).filter(({ is_new }) => !is_new).map(({ name }) => name),
  )
  const covered: RunFact[] = []
  for (const settings of prompts) {
    if (!known.has(settings.name)) covered.push(...(await coveredBefore(settings, report)))
  }
  const facts = prompts.map(({ name, project_id, schedule, first_run, scope }) => ({
    name,
    project_id,
    schedule: `${schedule.cron} ${schedule.timezone}`,
    first_run,
    folders: scope.folders,
  }))
  return [{ type: 'prompts_configured', prompts: facts }, ...covered]
}

async function coveredBefore(
  { name, project_id, report: { dir } }: PromptSettings,
  report: PromptReport,
): Promise<RunFact[]> {
  const { facts, bad } = await readCovered(dir, { prompt: name, project_id })
  for (const { path, why } of bad)
    report.fault(
      `the manifest ${path} of the prompt ${name} cannot be read, so a report may cover its files again`,
      new Error(why),
    )
  return facts
}

/** Far more than a slow share needs for all of them. */
const max_reading_ms = 10 * minute_ms

/** Maximum number of manifests to read: one a day for 27 years. */
const max_manifests = 10_000

export interface CoveredRestored {
  /** One fact per run, oldest first. */
  facts: Extract<RunFact, { type: 'covered_restored' }>[]
  /** Possible manifests that could not be read. The next runs may report their files again. */
  bad: { path: string; why: string }[]
}

/**
 * Reads what earlier reports of a prompt cover from the manifests beside them, for a ledger that
 * does not know. Only files reported as ready count: naming a refusal twice does no harm, but a
 * file in no report would. A missing directory covers nothing.
 */
export async function readCovered(dir: string, of: CoveredOf): Promise<CoveredRestored> {
  try {
    // A silent directory delays no start. One that answers may hold thousands of manifests.
    if (await askingPaths((paths) => paths.look(dir).is_silent)) throw noAnswer(dir)
    return await callApart(dir, {
      module: 'prompts/report-process',
      method: 'covered',
      argument: { dir, of },
      limit_ms: max_reading_ms,
      here: () => readCoveredHere(dir, of),
    })
  } catch (error) {
    if (!isNoAnswer(error)) throw error
    return { facts: [], bad: [{ path: dir, why: messageOf(error) }] }
  }
}

export interface CoveredOf {
  prompt: string
  project_id: string
}

/** The same in this process, which waits as long as it takes. */
export async function readCoveredHere(
  dir: string,
  { prompt, project_id }: CoveredOf,
): Promise<CoveredRestored> {
  const restored: CoveredRestored = { facts: [], bad: [] }
  const paths = await manifestPaths(dir, restored)
  for (const path of paths) {
    try {
      if ((await stat(path)).size > max_manifest_bytes) throw new Error('it is larger than 64 MiB')
      const manifest = parseManifest(await readFile(path, 'utf8'))
      if (manifest?.prompt !== prompt || manifest.project_id !== project_id) continue
      const { due_ms: run_due_ms, began_ms, assets, empty } = manifest
      const covered = assets.map(({ md5, size }) => ({ md5, size }))
      restored.facts.push({
        type: 'covered_restored',
        prompt,
        run_due_ms,
        began_ms,
        covered,
        empty,
      })
    } catch (error) {
      restored.bad.push({ path, why: causeOf(error) })
    }
  }
  restored.facts.sort((a, b) => a.run_due_ms - b.run_due_ms)
  return restored
}

async function manifestPaths(dir: string, { bad }: CoveredRestored): Promise<string[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(dir, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') bad.push({ path: dir, why: causeOf(error) })
    return []
  }
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const of_reports = new Set(files.filter((name) => !name.endsWith('.json')).map(manifestPath))
  // A manifest is written before its report. Without a report, no user received the run.
  const names = files.filter((name) => of_reports.has(name))
  // Names contain dates, so the last ones are the newest.
  const newest = names.sort().slice(-max_manifests)
  if (newest.length < names.length) {
    bad.push({
      path: dir,
      why: `it holds ${names.length} manifests; the last ${max_manifests} by name were read`,
    })
  }
  return newest.map((name) => join(dir, name))
}
