import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import type { RunFact } from '../../domain/run.ts'
import { manifestPath, parseManifest } from '../manifest.ts'
import { manifest_bytes_most } from './manifest-text.ts'

/** One a day for a quarter of a century. */
const manifests_most = 10_000

export interface ToldRestored {
  /** One a run, oldest first. */
  facts: Extract<RunFact, { type: 'told_restored' }>[]
  /** Files that may be manifests and could not be read: what they told may be told again. */
  bad: { path: string; why: string }[]
}

/**
 * What a prompt was told, from the manifests beside its reports, for a ledger that does not know. Only what was told as ready:
 * a refusal that is named twice does no harm, a file that is never told would. A directory that is not there tells nothing.
 */
export async function restoreTold(
  dir: string,
  { prompt, project_id }: { prompt: string; project_id: string },
): Promise<ToldRestored> {
  const restored: ToldRestored = { facts: [], bad: [] }
  const paths = await manifestPaths(dir, restored)
  for (const path of paths) {
    try {
      if ((await stat(path)).size > manifest_bytes_most) throw new Error('it is larger than 64 MiB')
      const manifest = parseManifest(await readFile(path, 'utf8'))
      if (manifest?.prompt !== prompt || manifest.project_id !== project_id) continue
      const { due_ms: run_due_ms, began_ms, assets } = manifest
      const told = assets.map(({ md5, size }) => ({ md5, size }))
      restored.facts.push({ type: 'told_restored', prompt, run_due_ms, began_ms, told })
    } catch (error) {
      restored.bad.push({ path, why: messageOf(error) })
    }
  }
  restored.facts.sort((a, b) => a.run_due_ms - b.run_due_ms)
  return restored
}

async function manifestPaths(dir: string, { bad }: ToldRestored): Promise<string[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(dir, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') bad.push({ path: dir, why: messageOf(error) })
    return []
  }
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const of_reports = new Set(files.filter((name) => !name.endsWith('.json')).map(manifestPath))
  // Written before its report: alone it is of a run that nobody was told of.
  const names = files.filter((name) => of_reports.has(name))
  // Names carry dates: the last ones are the newest.
  const newest = names.sort().slice(-manifests_most)
  if (newest.length < names.length) {
    bad.push({ path: dir, why: `it holds ${names.length} manifests; the last ${manifests_most} by name were read` })
  }
  return newest.map((name) => join(dir, name))
}
