import { formatAmount, formatCount } from '../../base/text/format.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import { amountOf, type FolderStatus } from '../../status/folders.ts'
import { scanFindings } from '../../status/text/scan-findings.ts'
import { countsText, inPartText, otherTroubles } from '../../status/text/text.ts'
import type { StatusView } from '../../status/view.ts'

/** Something that a user should know or do. Null: none. */
export interface Attention {
  message: string
  hint: string | null
  /** ISO 8601. */
  since: string | null
  /** State of these files. */
  state: Stage | null
  /** Files and places that it is about. */
  count: number | null
}

export const not_known = 'Sluice cannot say whether all files are in: nothing was recorded since'
export const no_daemon = 'No daemon is running, so nothing new gets in.'

/** The sentence of the verdict; that of `stale` is `not_known` with a time. */
export function verdictText(status: StatusView): string {
  if (status.verdict === 'all_ready')
    return `Everything is in: ${formatAmount(amountOf(status.folders, ['ready']))}${inPartText(status)}.`
  return status.verdict === 'refused'
    ? 'The service refuses Sluice: nothing is uploaded.'
    : `Not everything is in: ${countsText(status)}.`
}

/** Problems of the service, of Sluice and of files, the gravest first. */
export function attentionIn(status: StatusView): Attention[] {
  const { health, problems, over_limit, folders } = status
  const held = `${formatAmount(over_limit)} wait, because more arrived than the upload limit allows`
  const entries: (Pick<Attention, 'message'> & Partial<Attention>)[] = [
    ...otherTroubles(status),
    ...(health?.problems ?? []),
    ...(over_limit.files > 0 ? [{ message: held, count: over_limit.files }] : []),
    ...problems.map(({ stage: state, files: count, message }) => ({ message, state, count })),
    ...folders.flatMap(placesIn),
  ]
  return entries.map(({ message, hint = null, since = null, state = null, count = null }) => ({
    message,
    hint,
    since,
    state,
    count,
  }))
}

/** Lists what the last scan could not take up; nothing for an offline folder. */
function placesIn({ name, state, last_scan }: FolderStatus) {
  const findings = last_scan && state === 'online' ? scanFindings(last_scan) : []
  return findings.map(({ what, total: count }) => ({
    message: `${formatCount(count)} in ${name}: ${what}`,
    count,
  }))
}
