import { counted, formatCount } from '../../base/text/format.ts'
import type { VerifySummary } from '../../inspect/verify/verify.ts'
import {
  type Difference,
  type DifferenceKind,
  isFault,
  isWhole,
} from '../../inspect/verify/verify-answer.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'

/** How many differences of each kind `--json` lists, and how many the text shows. */
const max_listed = 10_000
const max_examples = 3

/** Keeps the first differences of each kind. */
export class FoundDifferences {
  readonly #by_kind = new Map<DifferenceKind, Difference[]>()

  add(difference: Difference): void {
    const found = this.of(difference.kind)
    if (found.length === 0) this.#by_kind.set(difference.kind, found)
    if (found.length < max_listed) found.push(difference)
  }

  of(kind: DifferenceKind): Difference[] {
    return this.#by_kind.get(kind) ?? []
  }

  /** All of them as JSON; null: none. */
  answer() {
    return [...this.#by_kind.values()].flat().map((difference) => {
      const {
        kind,
        folder = null,
        path = null,
        asset_id = null,
        label = null,
        status = null,
        message,
      } = difference
      return { kind, folder, path, asset_id, label, status, message }
    })
  }
}

const texts: Record<DifferenceKind, string> = {
  ledger_damaged: 'the ledger is damaged, so it was not compared',
  ledger_inconsistent: 'the ledger contradicts itself',
  tickets_damaged: 'the records of open uploads are damaged',
  unknown_on_disk: 'on disk, not known yet',
  gone_from_disk: 'known, but no longer on disk',
  changed_on_disk: 'changed on disk since the last check',
  content_differs: 'other bytes under the same size and times',
  unreadable: 'cannot be read by this user',
  missing_on_service: 'ready here, gone on the service',
  failed_on_service: 'ready here, but the service cannot use it',
  not_ready_on_service: 'ready here, not ready on the service',
  returned_on_service: 'given up here, ready on the service',
  label_missing: 'a label is missing on the service',
  read_in_part: 'ready in part: the service could not read all of it',
  unknown_on_service: 'ready on the service, but not from this ledger: never touched',
}

export function verifyLines(
  summary: VerifySummary,
  found: FoundDifferences,
  options: { width: number; on_remote_delete: 'respect' | 'resend' },
): Line[] {
  const writer = new LineWriter(options.width)
  for (const { name, offline, complete } of summary.folders) {
    if (offline !== null)
      writer.say(`${name} is offline, and was not compared: ${offline}`, { tone: 'bad' })
    else if (!complete)
      writer.say(`${name} was not compared completely: there may be more`, { tone: 'bad' })
  }
  for (const kind of Object.keys(texts) as DifferenceKind[])
    sayKind(writer, kind, summary, found, options)
  sayRest(writer, summary)
  writer.say(closingText(summary), { tone: isWhole(summary) ? 'good' : 'warn' })
  return writer.lines
}

function sayKind(
  writer: LineWriter,
  kind: DifferenceKind,
  { differences }: VerifySummary,
  found: FoundDifferences,
  { on_remote_delete }: { on_remote_delete: 'respect' | 'resend' },
): void {
  const count = differences[kind]
  if (count === 0) return
  writer.say(`${formatCount(count)} × ${texts[kind]}`, { tone: isFault(kind) ? 'warn' : 'faint' })
  if (kind === 'unknown_on_service') return
  for (const { folder, path, asset_id, message } of found.of(kind).slice(0, max_examples)) {
    const name =
      folder === undefined ? asset_id : [folder, path].filter((part) => part !== '').join('/')
    writer.detail(name === undefined ? message : `${name}: ${message}`)
  }
  if (count > max_examples)
    writer.detail(`and ${formatCount(count - max_examples)} more (--json lists them)`)
  writer.detail(cureOf(kind, on_remote_delete), 'faint')
}

/** Says how a difference is corrected. */
function cureOf(kind: DifferenceKind, on_remote_delete: 'respect' | 'resend'): string {
  switch (kind) {
    case 'ledger_inconsistent':
      return 'stop the daemon, then `sluice restore FILE` where there is a backup from before, else move ledger.db away and `sluice rebuild`, which uploads nothing again'
    case 'ledger_damaged':
      return 'stop the daemon, then `sluice restore FILE` where there is a backup from before, else `sluice rebuild`, which uploads nothing again'
    case 'tickets_damaged':
      return 'stop the daemon, and move the file away: an upload that was under way begins anew'
    case 'unknown_on_disk':
    case 'changed_on_disk':
      return 'the next pass checks it, and uploads it if it is new'
    case 'gone_from_disk':
      return 'the next pass records it; nothing is removed on the service'
    case 'content_differs':
      return 'no scan sees it: a running daemon, or --record and the next pass, reads it again and uploads it'
    case 'unreadable':
      return '`sluice doctor` says who may read it; the next pass tries again'
    case 'missing_on_service':
      return on_remote_delete === 'resend'
        ? 'the audit records it and uploads it again (on_remote_delete: resend)'
        : 'the audit (or --record) records it and does not upload it again (on_remote_delete: respect); then `sluice retry PATH` uploads it again'
    case 'failed_on_service':
      return 'the audit (or --record) records it; then `sluice retry PATH` uploads it again'
    case 'not_ready_on_service':
      return 'the audit (or --record) records it, and Sluice follows it until it is ready'
    case 'returned_on_service':
      return 'the audit (or --record) records it as ready'
    case 'label_missing':
      return 'a running daemon, or --record and the next pass, attaches it again; it goes for good by `labels` of the folder'
    case 'read_in_part':
      return 'no difference: `sluice ls --state ready_in_part` lists what the ledger knows of them'
    case 'unknown_on_service':
      return 'nothing to do'
  }
}

function sayRest(writer: LineWriter, { on_the_way, standing, projects }: VerifySummary): void {
  if (on_the_way > 0)
    writer.say(`${formatCount(on_the_way)} on the way: no difference`, { tone: 'faint' })
  const known = [
    [standing.refused, 'refused'],
    [standing.blocked, 'blocked'],
    [standing.removed_on_service, 'removed on the service'],
  ] as const
  const reasons = known
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}`)
  if (reasons.length > 0)
    writer.say(`not ready for a known reason: ${reasons.join(', ')} (sluice status)`, {
      tone: 'faint',
    })
  const unanswered = projects.reduce((sum, project) => sum + project.unanswered, 0)
  if (unanswered > 0)
    writer.say(`${formatCount(unanswered)} without an answer of the service`, { tone: 'warn' })
}

function closingText(summary: VerifySummary): string {
  const { projects, differences, complete, ready, outdated } = summary
  const sum = (of: 'usable' | 'expected') =>
    projects.reduce((total, project) => total + project[of], 0)
  const asked = projects.length > 0 && projects.every(({ fault }) => fault === null)
  const copies = ready - (sum('expected') - outdated)
  const apart = [
    ...(outdated > 0 ? [`${formatCount(outdated)} of deleted files or old versions`] : []),
    ...(copies > 0 && differences.ledger_inconsistent === 0
      ? [counted(copies, 'file is a copy', 'files are copies')]
      : []),
  ].join('; ')
  const usable = asked
    ? `${counted(ready, 'file')} ready, ${formatCount(sum('usable'))} of ${counted(sum('expected'), 'asset')} usable${apart && ` (${apart})`}`
    : 'service not compared'
  const count = (Object.keys(differences) as DifferenceKind[])
    .filter(isFault)
    .reduce((total, kind) => total + differences[kind], 0)
  const found = count === 0 ? 'no differences' : counted(count, 'difference')
  return `${usable}; ${found}${complete ? '' : ' in what could be compared'}`
}
