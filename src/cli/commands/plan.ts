import { isSluiceError } from '../../base/run/errors.ts'
import {
  counted,
  formatAmount,
  formatBytes,
  formatCount,
  shellWord,
} from '../../base/text/format.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { unreadableText } from '../../domain/file.ts'
import { file_reasons } from '../../domain/file-reasons.ts'
import { unreadSoFar } from '../../domain/file-type.ts'
import type { RemovalWait } from '../../domain/removal.ts'
import { type Plan, planUploads } from '../../inspect/plan/plan.ts'
import type { FolderPlan, Reason, RemovalGroup } from '../../inspect/plan/plan-answer.ts'
import { typesUnreadBy, type UnreadTypes } from '../../inspect/plan/unread-types.ts'
import { remoteOpener } from '../../remote/open-remote.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import { excludeSetting } from '../../status/text/text.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { describeToken, loadFor, slowNote } from '../on-paths.ts'
import { printJson, printLines, printWarning, sayIgnored } from '../text/print.ts'
import { sayUploadTime } from '../text/upload-time-text.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('hash', flag('read the files, to tell known bytes from new ones'))
      .option('json', flag('one JSON object')),
  async run({ config: named, hash, json }, terminal) {
    const { config, paths } = await loadFor(terminal, { file: named })
    const plan = await withLedgerView(config.state_dir, async (ledger) => {
      const unread_types = ledger?.unread_types() ?? (await typesOnService(config))
      const now_ms = system_clock.now_ms()
      const notes = { silent: paths.silent(), onSlow: slowNote(terminal) }
      return planUploads({ config, ledger, hash, unread_types, now_ms, ...notes })
    })
    const { fault, is_named } = await describeToken(config, terminal)
    if (fault !== null && is_named)
      printWarning(terminal, `${fault}. A plan needs no token; sync and run do: sluice doctor`)
    if (json) printJson(terminal, plan)
    else printLines(terminal, planLines(plan, terminal.width))
    return plan.folders.every(({ seen }) => seen?.complete) ? exit_codes.ok : exit_codes.incomplete
  },
})

/** A plan needs no answer of the service, so it does not wait long for one. */
const max_answer_ms = 5 * second_ms

async function typesOnService(config: Config): Promise<UnreadTypes> {
  const uploads = { ...config.uploads, request_timeout_ms: max_answer_ms }
  try {
    const projects = config.folders.map(({ project_id }) => project_id)
    return await remoteOpener(
      { ...config, uploads },
      system_clock,
    )((remote) => typesUnreadBy(remote, projects))
  } catch (error) {
    // Without a token, `plan` shows the rest all the same.
    if (!isSluiceError(error)) throw error
    return new Map()
  }
}

/** Types shown, because more say little to a user. --json has them all. */
const max_types = 12
const max_rules = 15
const max_names = 3

const other_reasons: Record<Exclude<Reason, keyof typeof file_reasons>, string> = {
  ready: 'ready already',
  underway: 'already on the way',
  refused: 'refused (sluice ls --state refused)',
  type_refused: 'of a type that the service could not read so far',
  type_rests: 'of a type that the service refuses just now: one is tried a day',
  removed_on_service: 'removed on the service (sluice retry PATH uploads them again)',
  known_bytes: 'bytes that the project has: linked, not uploaded',
  same_bytes: 'same bytes as another one here: uploaded once',
}

function reasonText(reason: Reason): string {
  if (!isFileReason(reason)) return other_reasons[reason]
  const { in_plan, can_be_accepted } = file_reasons[reason]
  return can_be_accepted ? `${in_plan} (sluice accept PATH uploads them)` : in_plan
}

function isFileReason(reason: Reason): reason is keyof typeof file_reasons {
  return reason in file_reasons
}

const waits: Record<RemovalWait, string> = {
  grace: 'deleted a short time ago (delete_grace_ms)',
  replacement: 'until what took their place is ready',
  scan: 'until every folder of the project is online and was scanned',
  twin: 'until files of the same size are read: they may be these (--hash reads them)',
  left_out: 'kept while a file that is left out has their size, and may be one of them',
  asked: 'while a prompt is asked about them',
  user: 'until you accept it, because it is more than Sluice removes without asking (removal.max_files)',
  service: 'refused by the service',
}

const who_learns =
  'everybody in the project can learn what is in it, whatever the permissions of the share: who may read what on disk is not carried over'

export function planLines(plan: Plan, width: number): Line[] {
  const writer = new LineWriter(width)
  writer.say(`would be uploaded: ${formatAmount(plan.would_upload)}`, { tone: 'strong' })
  if (!plan.knows_ledger) {
    writer.detail('there is no ledger yet, so every file counts as new', 'faint')
  }
  if (!plan.hashed && plan.would_upload.files > 0) {
    writer.detail(
      'the project may have some of these bytes already: --hash reads the files and finds them',
      'faint',
    )
  }
  for (const { extension, unread, ...amount } of plan.types.slice(0, max_types)) {
    writer.detail(`${extension === '' ? 'no extension' : `.${extension}`}: ${formatAmount(amount)}`)
    if (unread > 0)
      writer.say(`${counted(unread, 'file')}: ${unreadSoFar(extension)}`, {
        indent: 4,
        tone: 'warn',
      })
  }
  const more = plan.types.length - max_types
  if (more > 0) writer.detail(`and ${counted(more, 'more type')}`)
  sayUploadTime(writer, plan)
  writer.detail(who_learns)
  for (const folder of plan.folders) sayFolder(writer, folder)
  return writer.lines
}

function sayFolder(writer: LineWriter, folder: FolderPlan): void {
  writer.gap()
  writer.say(`${folder.name}  ${folder.path}`, { tone: 'strong' })
  if (folder.offline !== null) {
    writer.detail(`offline: ${folder.offline}`, 'bad')
    return
  }
  writer.detail(`would be uploaded: ${formatAmount(folder.would_upload)}`)
  for (const { reason, examples, ...amount } of folder.stays) {
    const names = examples.join(', ')
    const rest = amount.files > examples.length ? ' …' : ''
    writer.detail(`${formatAmount(amount)}: ${reasonText(reason)}: ${names}${rest}`)
    const exclude = reason === 'type_refused' ? excludeSetting(examples) : undefined
    if (exclude !== undefined)
      writer.say(`this setting of the folder leaves them out: ${exclude}`, { indent: 4 })
  }
  sayRemovals(writer, folder)
  if (folder.seen) saySeen(writer, folder.seen, folder.stays)
}

function sayRemovals(writer: LineWriter, { name, doubt, removals }: FolderPlan): void {
  if (doubt !== null) writer.detail(`nothing in it would count as deleted: ${doubt}`, 'warn')
  if (removals === null) return
  const { would_remove, waits: waiting } = removals
  const list = ({ files, bytes, examples }: RemovalGroup) =>
    `${formatCount(files)} (${formatBytes(bytes)}), of ${examples.join(', ')}${files > examples.length ? ' …' : ''}`
  if (would_remove.files > 0)
    writer.detail(`would be removed on the service: ${list(would_remove)}`, 'warn')
  for (const group of waiting) {
    const first = group.first === null ? '' : `, the first until ${group.first}`
    const why = `${waits[group.why]}${group.left_out === null ? '' : `: ${group.left_out}`}${first}`
    writer.detail(`to be removed on the service, and waiting: ${list(group)}: ${why}`)
    if (group.why === 'user') writer.command(`sluice accept --removals ${shellWord(name)}`, 4)
  }
}

function saySeen(
  writer: LineWriter,
  seen: NonNullable<FolderPlan['seen']>,
  stays: FolderPlan['stays'],
): void {
  if (!seen.complete) writer.detail('the folder changed during the scan: there may be more', 'bad')
  sayIgnored(writer, seen.ignored, max_rules)
  const list = (what: string, names: readonly string[], total: number) => {
    if (total === 0) return
    const rest = total - Math.min(names.length, max_names)
    const text = names.slice(0, max_names).join(', ')
    writer.detail(`${what}: ${text}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`, 'warn')
  }
  list('names that are not UTF-8, to be renamed', seen.odd_names, seen.odd_names_total)
  const unreadable = seen.unreadable.map(({ path, code }) => `${path} (${unreadableText(code)})`)
  // The files that stay for it are named there.
  const named = stays.find(({ reason }) => reason === 'unreadable')?.files ?? 0
  list('cannot be read', unreadable, seen.unreadable_total - named)
  const narrower = seen.narrower.map(({ path, why }) => `${path} (${why})`)
  list('fewer people can read them than this folder', narrower, seen.narrower_total)
  list('other disks, not scanned', seen.other_mounts, seen.other_mounts.length)
  for (const { kind, count } of seen.special) {
    writer.detail(`${formatCount(count)} ${kind}: not regular files, never uploaded`, 'faint')
  }
}
