import { counted, formatBytes, formatCount, shellWord } from '../../base/text/format.ts'
import { clockText } from '../../base/time/time.ts'
import type { AuditStatus, RemovalStatus } from '../assets.ts'
import type { LineWriter } from './lines.ts'

/**
 * Adds a line for each project with an audit: how many of the assets ready here were ready on the
 * service, and when that was checked.
 */
export function auditLines(
  writer: LineWriter,
  audits: readonly AuditStatus[],
  now_ms: number,
): void {
  const shown = audits.filter(({ last_full, running }) => last_full ?? running)
  if (shown.length > 0) writer.gap()
  for (const audit of shown) {
    const of = audits.length > 1 ? ` of ${audit.project_id}` : ''
    sayAudit(writer, audit, of, now_ms)
    if (!audit.seems_emptied) continue
    const where = `in ${audit.project_id}`
    writer.detail(
      `so many files are gone ${where} that the project seems emptied or replaced: check project_id in the configuration`,
      'bad',
    )
    writer.detail(
      'files that the service lists again are ready again; `sluice retry FOLDER` uploads the files again, `sluice accept FOLDER` accepts that they are gone',
    )
  }
}

function sayAudit(
  writer: LineWriter,
  { last_full, running }: AuditStatus,
  of: string,
  now_ms: number,
): void {
  if (last_full) {
    const { usable, expected, ended } = last_full
    const when = clockText(Date.parse(ended), now_ms)
    const text = `last full audit${of} ${when}: of ${counted(expected, 'asset')} ready then, ${formatCount(usable)} usable`
    writer.say([text, ...othersText(last_full)].join(', '), {
      tone: usable === expected ? 'faint' : 'warn',
    })
  } else if (running) {
    const { checked, expected } = running
    const max = formatCount(Math.max(checked, expected))
    writer.say(`first audit${of}: ${formatCount(checked)} of about ${max} compared`, {
      tone: 'faint',
    })
  }
}

function othersText(full: NonNullable<AuditStatus['last_full']>): string[] {
  const said = [
    [full.missing, 'gone on the service'],
    [full.failed, 'failed on the service'],
    [full.unready, 'being read again by the service'],
    [full.unanswered, 'without an answer'],
  ] as const
  return said.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
}

const reasons: Record<RemovalStatus['waiting'][number]['why'], string> = {
  due: 'next',
  grace: 'deleted a short time ago (delete_grace_ms)',
  replacement: 'once the new version is ready',
  scan: 'until every folder of the project is online and was scanned, with all directories of known files',
  twin: 'until files of the same size are read',
  left_out:
    'kept while a file that is left out has their size: it may be one of them (sluice explain PATH names it)',
  asked: 'while a prompt is asked about them',
  user: 'until you accept it',
  service: 'refused by the service',
}

/** Adds lines about assets that no file here holds any more, and what happens to them. */
export function removalLines(writer: LineWriter, removals: RemovalStatus): void {
  const { outdated, waiting, held, removing, refusals } = removals
  if (outdated.versions + removing === 0 && refusals.length === 0) return
  writer.gap()
  writer.say(outdatedText(outdated))
  const due = waiting.filter(({ why }) => why !== 'user')
  const parts = due.map(({ why, versions }) => `${formatCount(versions)} ${reasons[why]}`)
  if (removing > 0) parts.push(`${formatCount(removing)} just now`)
  const kept = waiting.reduce((rest, { versions }) => rest - versions, outdated.versions)
  if (kept > 0)
    writer.detail(
      `${formatCount(kept)} kept; for later ones, \`on_delete: remove\` and \`on_change: remove_old\` of a folder remove them (docs/operating.md, Old versions and deleted files)`,
      'faint',
    )
  if (parts.length > 0) writer.detail(`to be removed on the service: ${parts.join(', ')}`, 'faint')
  for (const { folder, versions } of held) {
    const what = `${counted(versions, 'version')} of ${folder} would be removed on the service, more than Sluice removes without asking (removal.max_files)`
    writer.detail(`${what}; if that is right:`, 'warn')
    writer.command(`sluice accept --removals ${shellWord(folder)}`, 4)
  }
  for (const { project_id, message } of refusals) {
    const text = `the service refuses to remove assets of ${project_id}, so they are kept whatever the settings of the folders say: ${message}`
    writer.detail(text, 'warn')
  }
}

export function renameLines(writer: LineWriter, refusals: RemovalStatus['refusals']): void {
  for (const { project_id, message } of refusals) {
    const text = `the service refuses to rename assets of ${project_id}, so answers cite moved files by their old names (tried again after a day, or by sluice retry): ${message}`
    writer.say(text, { tone: 'warn' })
  }
}

function outdatedText({ versions, bytes, deleted, replaced }: RemovalStatus['outdated']): string {
  const left_out = versions - deleted - replaced
  const kinds = [
    counted(deleted, 'deleted file'),
    counted(replaced, 'old version'),
    counted(left_out, 'file that is left out now', 'files that are left out now'),
  ].filter((text) => !text.startsWith('0 '))
  return `${kinds.join(', ')} still ${versions === 1 ? 'answers' : 'answer'} (${formatBytes(bytes)})`
}
