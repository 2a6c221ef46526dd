import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { codeOf, messageOf, SluiceError } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'
import { renderTemplate } from '../../base/text/template.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import {
  type Manifest,
  manifestPath,
  manifestText,
  max_manifest_bytes,
  parseManifest,
} from '../manifest.ts'
import type { PromptSettings } from '../prompt-settings.ts'

/** Names have at most 255 bytes (ext4, APFS, NTFS), including number and endings. */
const max_stem_bytes = 180
/** Maximum number of reports with one name. More mean a template without a date. */
const max_same_name = 1_000

/** Others read reports, so the group may, if the directory allows it. */
const report_mode = 0o640

export interface WrittenReport {
  markdown: string
  manifest: Manifest
}

/**
 * Writes the manifest and then the report, each atomically. A run always gets the same name again.
 * Names of other runs and other programs stay untouched. `left_out`: what does not fit into the
 * manifest. Errors: `prompts.report_unwritable`.
 */
export function writeReportFile(
  settings: PromptSettings,
  report: WrittenReport,
): { path: string; left_out: string | undefined } {
  const { dir } = settings.report
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const path = freePath(dir, reportFileName(settings, report.manifest), report.manifest)
    const { text, left_out } = manifestText(report.manifest)
    writeFileAtomic(manifestPath(path), text, report_mode)
    writeFileAtomic(path, report.markdown, report_mode)
    return { path, left_out }
  } catch (error) {
    throw new SluiceError({
      code: 'prompts.report_unwritable',
      message: `the report of ${settings.name} cannot be written to ${dir}: ${messageOf(error)}`,
      hint: hintFor(error),
      cause: error,
    })
  }
}

function hintFor(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'free some space; Sluice then writes the report by itself'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'give the daemon the right to write there; it tries again by itself'
  return 'check that it is a directory to which the daemon can write, and that the name of the report contains {{date}}'
}

/**
 * A file name without separators or a leading dot, whatever the template and prompt contain.
 *
 * @internal
 */
export function reportFileName(
  settings: PromptSettings,
  { due_ms }: Pick<Manifest, 'due_ms'>,
): string {
  const zone = settings.schedule.timezone
  const values = {
    name: settings.name,
    date: localDate(due_ms, zone),
    due: localTime(due_ms, zone),
  }
  const safe = printable(renderTemplate(settings.report.file_name, values))
    .replace(/[/\\:*?"<>|]/g, '-')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const ending = /\.[A-Za-z]{1,10}$/.exec(safe)?.[0] ?? ''
  const stem = cutToBytes(safe.slice(0, safe.length - ending.length), max_stem_bytes)
  return `${stem || 'report'}${ending || '.md'}`
}

function cutToBytes(text: string, max: number): string {
  let cut = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > max) break
    cut += character
  }
  return cut
}

function freePath(dir: string, file_name: string, manifest: Manifest): string {
  const ending = extname(file_name)
  const stem = file_name.slice(0, -ending.length)
  for (let number = 1; number <= max_same_name; number++) {
    const path = join(dir, number === 1 ? file_name : `${stem}-${number}${ending}`)
    if (isFree(path, manifest)) return path
  }
  throw new Error(`${max_same_name} reports are already called ${file_name}`)
}

/** The manifest is written first, so it alone says which run owns the name. */
function isFree(path: string, ours: Manifest): boolean {
  const manifest_path = manifestPath(path)
  if (!exists(manifest_path)) return !exists(path)
  try {
    if (statSync(manifest_path).size > max_manifest_bytes) return false
    const theirs = parseManifest(readFileSync(manifest_path, 'utf8'))
    return (
      theirs?.prompt === ours.prompt &&
      theirs.project_id === ours.project_id &&
      theirs.due_ms === ours.due_ms
    )
  } catch {
    // Unreadable, or not a manifest: the file belongs to another program and stays.
    return false
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
