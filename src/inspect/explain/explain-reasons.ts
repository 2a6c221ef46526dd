import {
  counted,
  formatBytes,
  formatDuration,
  formatSpan,
  shellWord,
} from '../../base/text/format.ts'
import { second_ms } from '../../base/time/time.ts'
import { isUnusable } from '../../domain/asset.ts'
import { slowAfter_ms } from '../../domain/content.ts'
import { excludeLine, large_bytes } from '../../domain/file.ts'
import { type SkipReason, skip_reasons } from '../../domain/file-reasons.ts'
import { nothing_goes, refusedTypeIn } from '../../domain/file-type.ts'
import { amountRead, readingText } from '../../domain/reading.ts'
import { type Case, step } from './case.ts'
import { obstacleReasons } from './obstacle.ts'
import { olderVersionReasons, removalReasons } from './removal-reasons.ts'

/** Sentences for users: the reason of the state, the next step, and the remedy. Pure. */
export function reasonsOf(of: Case): string[] {
  const { obstacle, state } = of
  if (!obstacle || state === 'ignored') return reasonsOfState(of)
  const is_all = state === 'special' || state === 'unknown'
  return [...obstacleReasons(obstacle, of), ...(is_all ? [] : reasonsOfState(of))]
}

function reasonsOfState(of: Case): string[] {
  switch (of.state) {
    case 'ignored':
      return ignoredReasons(of)
    case 'special':
      return [specialReason(of)]
    case 'unknown':
      return unknownReasons(of)
    case 'settling':
      return [settlingReason(of), ...standstill(of)]
    case 'skipped':
      return skippedReasons(of)
    case 'blocked':
      return blockedReasons(of)
    case 'waiting':
    case 'sending':
      return sendingReasons(of)
    case 'ingesting':
      return ingestingReasons(of)
    case 'ready':
      return [
        ...readyReasons(of),
        ...namingReasons(of),
        ...changedSince(of),
        ...olderVersionReasons(of),
      ]
    case 'refused':
      return [
        of.story?.content?.error_message ?? 'no reason was given',
        `Sluice uploads the file again when it changes; ${retryNow(of, 'once the reason is gone')}`,
        ...(isUnusable(of.story?.content?.error_code) && !of.for_reader
          ? [
              `or leave it out: add the line ${excludeLine(of.path)} to ${of.folder.path}/.sluiceignore`,
            ]
          : []),
      ]
    case 'removed_on_service':
      return [
        'it was in the service, and a user removed it there; Sluice does not upload it again by itself',
        `to upload it again: ${byUser(of, 'retry')}`,
      ]
    case 'gone':
      return ['it is not here any more', ...removalReasons(of)]
  }
}

function readyReasons({ story }: Case): string[] {
  const read = readingText(story?.reading)
  if (amountRead(story?.reading) !== 'in_part')
    return ['it is usable in the assistant', ...(read === undefined ? [] : [read])]
  return [`it is usable in the assistant in part: ${read}`]
}

function settlingReason(of: Case): string {
  const { stat, not_before_ms = 0 } = of.story!.row
  if (stat.size >= large_bytes && not_before_ms <= of.now_ms) {
    return `its ${formatBytes(stat.size)} are read for their md5: two such files of a folder at a time, in the order in which they were seen`
  }
  return `it must not change for ${formatDuration(of.folder.settle_ms)} before it is uploaded (settle_ms); it is checked again ${when(of, not_before_ms)}`
}

function ignoredReasons({ ignored_by, story }: Case): string[] {
  const { rule, source, reason } = ignored_by!
  const said = `ignored by the rule ${rule} (${source}): ${reason}`
  if (story === undefined || story.stage === 'gone') return [said]
  return [said, `before that rule it was ${story.stage}; the next check takes it off the list`]
}

function specialReason({ on_disk, path, folder, for_reader }: Case): string {
  if (on_disk.kind === 'directory') {
    if (for_reader) return 'a directory'
    return `a directory; its files: sluice ls ${shellWord(path === '' ? folder.name : `${folder.name}/${path}`)}`
  }
  return `a ${on_disk.kind}, which has no bytes to send`
}

function unknownReasons(of: Case): string[] {
  if (of.on_disk.kind === 'missing') return ['the file does not exist, and Sluice never saw it']
  const grant = step(of, 'give this user the right to read its directory')
  if (of.on_disk.kind === 'unreadable')
    return of.offline === undefined ? [`it cannot be checked: ${grant}`] : standstill(of)
  if (of.on_disk.size === 0)
    return ['it is empty: Sluice uploads it as soon as it has bytes', ...standstill(of)]
  const held = standstill(of)
  if (held.length > 0) return ['it was not scanned yet', ...held]
  return [
    of.scanned
      ? 'it was not scanned yet: the next scan finds it'
      : 'the first scan of its folder has not ended yet',
  ]
}

function skippedReasons(of: Case): string[] {
  const { reason, detail } = of.story!.row
  const { cure, can_be_accepted } = skip_reasons[reason as SkipReason]
  const remedy = can_be_accepted ? [`to upload it all the same: ${byUser(of, 'accept')}`] : []
  return [detail ?? String(reason), cure, ...remedy]
}

function blockedReasons(of: Case): string[] {
  const { reason, detail, not_before_ms } = of.story!.row
  const { error_code = '', error_message = '' } = of.story!.content ?? {}
  const type = of.story!.row.state === 'present' ? refusedTypeIn(error_code) : undefined
  if (type !== undefined) {
    const all = of.for_reader
      ? ''
      : `; or all files of its type, from now on: sluice accept ${shellWord(`*.${type}`)}`
    const setting = of.for_reader ? '' : '; `sluice status` has the setting that leaves them out'
    return [
      error_message,
      `to upload it all the same: ${byUser(of, 'accept')}${all}`,
      `Sluice tries one such file a day${setting}`,
    ]
  }
  if (reason === 'upload_limit') {
    const { limit, limit_hours: hours } = of.uploads
    const allowed =
      limit === 'off'
        ? ''
        : ` (${counted(limit.files, 'file')} or ${formatBytes(limit.bytes)} in ${hours} h)`
    return [
      `held by the upload limit: more new files came than it allows${allowed}`,
      `to upload it: ${byUser(of, 'accept')}`,
    ]
  }
  const again =
    not_before_ms === undefined
      ? `to check it again: ${byUser(of, 'retry')}`
      : `it is checked again ${when(of, not_before_ms)}; ${retryNow(of, 'now')}`
  return [detail ?? String(reason), again, ...standstill(of)]
}

function sendingReasons(of: Case): string[] {
  const { row, content } = of.story!
  const reasons = standstill(of)
  const due_ms = content?.not_before_ms ?? 0
  const resend_ms = (row.sent_ms ?? 0) + of.uploads.min_resend_s * second_ms
  if (content?.error_code !== undefined) {
    const { attempts, error_code, error_message } = content
    const last =
      attempts >= of.uploads.max_attempts ? '; it is refused once it has failed for 10 min' : ''
    // A content without a try waits for a folder, or for others of its type.
    const waits =
      error_code.startsWith('type_unproven:') && of.troubles.length > 0 ? nothing_goes : ''
    const tried =
      attempts > 0
        ? `the last try failed (attempt ${attempts} of ${of.uploads.max_attempts}): `
        : waits
    reasons.push(
      `${tried}${error_message}`,
      `it is tried by itself ${when(of, due_ms)}${last}; ${retryNow(of, 'now')}`,
    )
  } else if (row.sent_ms !== undefined && due_ms > of.now_ms && due_ms <= resend_ms) {
    const pause = formatDuration(of.uploads.min_resend_s * second_ms)
    reasons.push(
      `an earlier version was uploaded ${formatSpan(row.sent_ms, of.now_ms)} ago: this one follows ${when(of, due_ms)}, ${pause} after that one (uploads.min_resend_s)`,
    )
  }
  const limit = of.uploads.max_bytes_per_day
  const size = content?.size ?? row.stat.size
  if (limit !== 'off' && of.sent_today_bytes > 0 && of.sent_today_bytes + size > limit) {
    reasons.push(
      `it is ${formatBytes(size)}, and ${formatBytes(of.sent_today_bytes)} of the ${formatBytes(limit)} for 24 hours are used (uploads.max_bytes_per_day): it is uploaded once the limit allows it`,
    )
  }
  if (of.state === 'sending')
    reasons.push('the service has a slot for it, and its bytes are being sent')
  else if (reasons.length === 0) reasons.push('it is uploaded when its turn comes')
  return reasons
}

function ingestingReasons(of: Case): string[] {
  const { content } = of.story!
  const since_ms = content?.following_since_ms ?? of.now_ms
  const is_slow = of.now_ms - since_ms > slowAfter_ms(content?.size ?? 0)
  const duration = formatSpan(since_ms, of.now_ms)
  return [
    ...standstill(of),
    `the service has its bytes and has been reading them for ${duration}${is_slow ? ', longer than usual' : ''}`,
    ...(content?.error_message === undefined
      ? []
      : [`at the last check: ${content.error_message}`]),
    `it is asked again ${when(of, content?.not_before_ms)}`,
  ]
}

/** Reasons that hold up all files, not only this one. */
function standstill({ offline, troubles, daemon_runs, for_reader }: Case): string[] {
  const start = step(
    { for_reader },
    '`sluice run`, or `sluice sync` for one pass, continues with it',
  )
  return [
    ...(offline === undefined ? [] : [`its folder is offline: ${offline}`]),
    ...troubles.map(({ message, hint }) =>
      hint === undefined || for_reader ? message : `${message}: ${hint}`,
    ),
    ...(daemon_runs ? [] : [`no daemon is running: ${start}`]),
  ]
}

/** An answer cites a file by its name on the service, which may be that of a copy elsewhere. */
function namingReasons({ naming, folder }: Case): string[] {
  // Users who see this file see its folder, so a copy in it makes no difference to them.
  const folders = [...new Set(naming)].filter((name) => name !== folder.name)
  if (folders.length === 0) return []
  const [name, whose] = folders.includes(null)
    ? ['that no folder that you see gives', 'who see some folders only']
    : [`of ${folders.join(' and ')}`, 'who do not see that folder']
  return [
    `the service has its bytes under a name ${name}: questions of users ${whose} leave this file out`,
  ]
}

function changedSince({ story, on_disk }: Case): string[] {
  if (on_disk.kind === 'missing') return ['its file is missing just now']
  if (on_disk.size === null || on_disk.size === story?.row.stat.size) return []
  return ['the file has changed since: the new version follows']
}

function when({ now_ms, daemon_runs }: Case, at_ms: number | undefined): string {
  if (!daemon_runs) return 'once a daemon runs'
  if (at_ms === undefined || at_ms <= now_ms) return 'now'
  return at_ms - now_ms < second_ms ? 'in a moment' : `in ${formatSpan(now_ms, at_ms)}`
}

function byUser(of: Case, verb: 'retry' | 'accept'): string {
  return step(of, `sluice ${verb} ${placeOf(of)}`)
}

/** `moment`: when a user with a shell may do it. */
function retryNow(of: Case, moment: string): string {
  return of.for_reader
    ? 'to try it now, ask your administrator'
    : `${moment}: ${byUser(of, 'retry')}`
}

function placeOf({ folder, path }: Case): string {
  return shellWord(`${folder.path}/${path}`)
}
