import { formatCount } from '../../base/text/format.ts'
import { clockText } from '../../base/time/time.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { FolderView } from '../../ledger/views/view-folders.ts'
import { amountOf, underway } from '../folders.ts'

export interface StatusLineParts {
  folders: readonly FolderView[]
  troubles: readonly { readonly about: string; readonly message: string }[]
  /** True while a user has paused Sluice. */
  is_paused?: boolean
  /**
   * True if the service did not answer when the token was checked. Without work to upload, no
   * trouble is recorded for that.
   */
  is_unreachable?: boolean
  /** Set while nothing can be recorded: the counts are as old as `since_ms`. */
  ledger_fault?: { message: string; since_ms: number } | undefined
}

/**
 * The status in one line, problems first, such as
 * `service unreachable, retrying; 12,431 ready, 3 on the way, 1 refused`.
 */
export function statusLine(parts: StatusLineParts): string {
  const { folders, troubles, is_paused = false, is_unreachable = false, ledger_fault } = parts
  const stale = ledger_fault
    ? [
        `Sluice can record nothing since ${clockText(ledger_fault.since_ms)}: ${ledger_fault.message}`,
      ]
    : []
  const paused = is_paused ? ['paused'] : []
  const wrong = [
    ...stale,
    ...paused,
    ...troubleTexts(troubles, is_unreachable),
    ...offlineTexts(folders),
  ]
  return [...wrong, countsText(folders)].join('; ')
}

function troubleTexts(troubles: StatusLineParts['troubles'], is_unreachable: boolean): string[] {
  const of = (about: string) => troubles.find((trouble) => trouble.about === about)
  const texts: string[] = []
  const account = of('account')
  if (account) texts.push(`token refused: ${account.message}`)
  if (of('api') || is_unreachable) texts.push('service unreachable, retrying')
  else if (of('blob')) texts.push('blob store unreachable, retrying')
  else if (of('uploads')) texts.push('service accepts no uploads, retrying')
  const projects = troubles.filter(({ about }) => about.startsWith('project:'))
  const [project] = projects
  if (projects.length > 1) texts.push(`${projects.length} projects refused`)
  else if (project) texts.push(`${project.about.replace(':', ' ')} refused: ${project.message}`)
  return texts
}

function offlineTexts(folders: StatusLineParts['folders']): string[] {
  const offline = folders.filter(({ offline_reason }) => offline_reason !== undefined)
  if (offline.length > 2) return [`${offline.length} folders are offline`]
  return offline.map(({ name }) => `${name} is offline`)
}

function countsText(folders: StatusLineParts['folders']): string {
  const files = (...wanted: Stage[]) => amountOf(folders, wanted).files
  const texts = [`${formatCount(files('ready'))} ready`]
  for (const [what, number] of [
    ['on the way', files(...underway)],
    ['refused', files('refused')],
    ['blocked', files('blocked')],
    ['removed on the service', files('removed_on_service')],
  ] as const) {
    if (number > 0) texts.push(`${formatCount(number)} ${what}`)
  }
  if (
    folders.some(
      ({ first_scan_ms, offline_reason }) =>
        first_scan_ms === undefined && offline_reason === undefined,
    )
  )
    texts.push('first scan under way')
  return texts.join(', ')
}
