import { counted, formatBytes, formatCount, shellWord } from '../../base/text/format.ts'
import { waitsForUser } from '../../domain/disappearance.ts'
import { watchingText } from '../../domain/file.ts'
import { amountOf, type FolderStatus, underway } from '../folders.ts'
import { type LineWriter, spanText } from './lines.ts'
import { namesText } from './places.ts'
import { scanFindings } from './scan-findings.ts'

/** Maximum number of rules listed. `status --json` has them all. */
const max_rules = 5

export function folderLines(writer: LineWriter, folder: FolderStatus, now_ms: number): void {
  writer.gap()
  writer.say(`${folder.name}  ${folder.path}`, { tone: 'strong' })
  if (folder.state === 'new') {
    writer.detail('not scanned yet', 'warn')
    return
  }
  if (folder.state === 'offline') sayOffline(writer, folder, now_ms)
  writer.detail(countsText(folder))
  sayWatching(writer, folder, now_ms)
  sayScan(writer, folder, now_ms)
}

function sayOffline(
  writer: LineWriter,
  { name, reason, since }: FolderStatus,
  now_ms: number,
): void {
  const duration = since === null ? '' : ` for ${spanText(since, now_ms)}`
  writer.detail(`offline${duration}: ${reason}`, 'bad')
  writer.detail(
    'nothing in it counts as deleted; Sluice goes on by itself when it runs and the folder is online again',
  )
  if (waitsForUser(reason ?? undefined)) {
    writer.detail(
      `\`sluice accept ${shellWord(name)}\` confirms only the deletions; files that are held back need another \`sluice accept\` afterwards`,
    )
  }
}

function countsText({ stages }: FolderStatus): string {
  const ready = stages.ready
  const parts = [`${formatCount(ready.files)} ready (${formatBytes(ready.bytes)})`]
  const add = (files: number, what: string) => {
    if (files > 0) parts.push(`${formatCount(files)} ${what}`)
  }
  add(amountOf([{ stages }], underway).files, `on the way (${underwayText(stages)})`)
  add(stages.skipped.files, 'skipped')
  add(stages.blocked.files, 'blocked')
  add(stages.refused.files, 'refused')
  add(stages.removed_on_service.files, 'removed on the service')
  return parts.join(' · ')
}

function underwayText(stages: FolderStatus['stages']): string {
  return underway
    .filter((stage) => stages[stage].files > 0)
    .map((stage) => `${stages[stage].files} ${stage}`)
    .join(', ')
}

function sayWatching(
  writer: LineWriter,
  { watching, watcher_changes }: FolderStatus,
  now_ms: number,
): void {
  if (watching) writer.detail(watchingText(watching, false), 'faint')
  if (watcher_changes === null) return
  const { replaced, given_up, last } = watcher_changes
  const parts: string[] = []
  if (replaced > 0) parts.push(`replaced ${timesText(replaced)}`)
  if (given_up > 0) parts.push(`given up for scans ${timesText(given_up)}`)
  const ago = last ? ` (last ${spanText(last.at, now_ms)} ago: ${last.why})` : ''
  writer.detail(`its watcher was ${parts.join(', ')}${ago}`, 'faint')
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${formatCount(times)} times`
}

function sayScan(writer: LineWriter, { last_scan: scan }: FolderStatus, now_ms: number): void {
  if (scan === null) {
    writer.detail('its first scan has not ended yet', 'faint')
    return
  }
  const took = spanText(scan.began, scan.ended)
  writer.detail(
    `scanned ${spanText(scan.ended, now_ms)} ago in ${took}: ${counted(scan.files, 'file')}`,
    'faint',
  )
  if (scan.missed !== null && scan.missed > 0) {
    const files = scan.missed === 1 ? 'a file' : counted(scan.missed, 'file')
    writer.detail(`the scan found ${files} that the watcher missed`, 'faint')
  }
  sayIgnored(writer, scan.ignored)
  for (const { what, places, total } of scanFindings(scan)) {
    const names = places.map(({ path, why }) => (why === undefined ? path : `${path} (${why})`))
    writer.detail(`${what}: ${namesText(names, total)}`, 'warn')
  }
  if (scan.special.length > 0) {
    const text = scan.special.map(({ kind, count }) => `${formatCount(count)} ${kind}`).join(', ')
    writer.detail(`not regular files, never uploaded: ${text}`, 'faint')
  }
}

function sayIgnored(
  writer: LineWriter,
  ignored: NonNullable<FolderStatus['last_scan']>['ignored'],
): void {
  if (ignored.length === 0) return
  const sorted = [...ignored].sort((a, b) => b.count - a.count)
  const rules = sorted
    .slice(0, max_rules)
    .map(({ rule, count, source }) => `${formatCount(count)} by ${rule} (${source})`)
  if (sorted.length > max_rules)
    rules.push(`others by ${counted(sorted.length - max_rules, 'more rule')}`)
  writer.detail(`ignored: ${rules.join(', ')}`, 'faint')
}
