import { isSluiceError } from '../../base/run/errors.ts'
import { hour_ms, isoTime } from '../../base/time/time.ts'
import type { Config, FolderConfig } from '../../config/config.ts'
import { type Examiner, startExaminer } from '../../disk/read/examiner.ts'
import {
  acknowledgementOn,
  identifiedRoot,
  noAnswer,
  refuseSilent,
  trustInRoot,
} from '../../disk/root/root.ts'
import { type Silence, unlessSilent, watchRoots } from '../../disk/root/root-asker.ts'
import {
  entryPath,
  entryStat,
  type ScanBatch,
  type ScanEnd,
  scanFolder,
} from '../../disk/scan/scan.ts'
import {
  exceedsAcknowledgement,
  type Found,
  filesThere,
  hasVanished,
  isNewcomer,
  isOtherDisk,
  waitingText,
  withoutNewcomers,
} from '../../domain/disappearance.ts'
import { type FileStat, sameStat } from '../../domain/file.ts'
import { block_reasons, skip_reasons } from '../../domain/file-reasons.ts'
import { isBlank } from '../../domain/placeholder.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { ComparedFolder } from '../../ledger/views/view-comparison.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import type { RemovalCasesView } from '../../ledger/views/view-removal-cases.ts'
import { areClosed } from './closed-files.ts'
import { type FolderPlan, noAmount, type Reason, sumOf, Tally, TypeTally } from './plan-answer.ts'
import { FolderDepartures, judge, type ScannedFile, scannedFiles } from './plan-files.ts'
import { keepsAll, planRemovals, type WalkedFolder } from './plan-removals.ts'
import { typeKey, type UnreadTypes } from './unread-types.ts'
import { uploadTime } from './upload-time.ts'

export interface PlanOptions {
  config: Config
  /** The ledger; without it every file is new. */
  ledger: LedgerView | undefined
  /** Reads every file that would be uploaded, to recognise known bytes. */
  hash: boolean
  /** Files of the refused ones stay; absent: none are known. */
  unread_types?: UnreadTypes
  now_ms: number
  /** Paths that do not answer; a folder there counts as offline. */
  silent?: readonly string[]
  /** Called about a folder that lets the plan wait. */
  onSlow?(root: string): void
}

/**
 * Scans the configured folders. Reports which files would be uploaded, which not and why, and which
 * assets would be removed on the service. Uploads and changes nothing. An offline folder is
 * reported and does not stop the others.
 */
export async function planUploads(options: PlanOptions) {
  const { config, hash, ledger, now_ms } = options
  const silence = watchRoots(config.scan.answer_ms, options.onSlow)
  const { threads } = config.hashing
  const examiner = hash ? startExaminer({ threads, silence }) : undefined
  const seen = new Set<string>()
  const arriving = newArriving()
  const types = new TypeTally()
  const cases = ledger?.removalCases()
  const planned: { plan: FolderPlan; walked: WalkedFolder }[] = []
  try {
    const tools = { ...options, examiner, silence, seen, types, arriving, cases }
    for (const folder of config.folders) planned.push(await planFolder(folder, tools))
  } finally {
    await examiner?.close()
    silence.close()
  }
  const removals =
    cases &&
    planRemovals({ config, cases, folders: planned.map(({ walked }) => walked), arriving, now_ms })
  const folders = planned.map(({ plan }): FolderPlan => {
    return {
      ...plan,
      removals: removesIn(config, plan.project_id) ? (removals?.get(plan.name) ?? null) : null,
    }
  })
  return {
    at: isoTime(now_ms),
    /** Files were read, so that known bytes were recognised. */
    hashed: hash,
    /** A ledger exists, so that ready files are not counted as new. */
    knows_ledger: ledger !== undefined,
    ...estimateOf(sumOf(folders.map((folder) => folder.would_upload)), options),
    /** Files to upload by extension without its dot (empty for none), largest number first. */
    types: types.sorted(),
    folders,
  }
}

/** The time for this much to upload, and the limits that it would meet. */
export function estimateOf(
  would_upload: Amount,
  { config, ledger, now_ms }: Omit<PlanOptions, 'hash'>,
) {
  const limits = limitsFor(config, ledger, would_upload, now_ms)
  return {
    would_upload,
    limits,
    upload_time: uploadTime(would_upload, config.uploads, limits.days),
  }
}

export type Estimate = ReturnType<typeof estimateOf>

/** The answer of `sluice plan`. */
export type Plan = Awaited<ReturnType<typeof planUploads>>

interface FolderTools extends PlanOptions {
  examiner: Examiner | undefined
  silence: Silence
  /** `project md5 size` of files that this plan already uploads. */
  seen: Set<string>
  types: TypeTally
  /** Bytes and sizes of the files that would be taken up, for plan-removals. */
  arriving: ReturnType<typeof newArriving>
  cases: RemovalCasesView | undefined
}

/** The state of one folder scan. */
interface FolderRound extends FolderTools {
  folder: FolderConfig
  tally: Tally
  departures: FolderDepartures
  scanned: ReturnType<typeof scannedFiles>
}

/** True if a folder of the project removes assets. Files of its other folders may need them. */
function removesIn({ folders }: Config, project_id: string): boolean {
  return folders.some((folder) => folder.project_id === project_id && !keepsAll(folder))
}

async function planFolder(
  folder: FolderConfig,
  tools: FolderTools,
): Promise<{ plan: FolderPlan; walked: WalkedFolder }> {
  const { config, ledger } = tools
  const tally = new Tally(tools.types)
  const base = {
    name: folder.name,
    path: folder.path,
    project_id: folder.project_id,
    removals: null,
  }
  const removes = removesIn(config, folder.project_id)
  const state = ledger?.folders().find(({ name }) => name === folder.name)
  const comparison = ledger?.comparison()
  const before = comparison?.folder(folder.name)
  const departures = new FolderDepartures(folder, comparison?.files(folder.name) ?? [].values())
  // A moved folder deletes and changes no file: the known ones are at its old path.
  const is_moved = before !== undefined && (before.is_moved || before.root !== folder.path)
  const is_given_anew = state !== undefined && (state.project_id !== folder.project_id || is_moved)
  try {
    refuseSilent(folder.path, tools.silent ?? [])
    const scanned = scannedFiles(folder, { state, comparison, now_ms: tools.now_ms })
    const round = { ...tools, folder, tally, departures, scanned }
    const { silence } = tools
    const found = await scanFolder({ root: folder.path, ignore: folder, silence }, (batch) =>
      planBatch(batch, round),
    )
    departures.end()
    const is_judged = removes && before && found.complete
    const doubt = is_judged
      ? doubtAbout(folder, departures, found, { ...before, is_moved }, tools)
      : undefined
    const is_believed = found.complete && doubt === undefined
    const saw_all_known = is_believed && departures.sawAllKnown(found)
    const gone = is_believed && removes ? departures.all({ are_let_go: is_moved }) : []
    return {
      plan: {
        ...base,
        offline: null,
        doubt: doubt ?? null,
        ...tally.amounts(),
        seen: scanAnswer(found, tally.unreadable()),
      },
      walked: {
        config: folder,
        is_believed,
        saw_all_known,
        is_given_anew,
        files: departures.evidence_met,
        departures: gone,
      },
    }
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return {
      plan: { ...base, offline: error.message, doubt: null, ...tally.amounts(), seen: null },
      walked: { ...unseen, config: folder, is_given_anew },
    }
  }
}

const unseen = { is_believed: false, saw_all_known: false, files: 0, departures: [] }

function doubtAbout(
  folder: FolderConfig,
  departures: FolderDepartures,
  end: ScanEnd,
  before: ComparedFolder,
  { config, now_ms }: Pick<PlanOptions, 'config' | 'now_ms'>,
): string | undefined {
  const limits = config.scan
  const missing = departures.lost(end)
  const known = departures.evidence_met + missing
  const files = end.files - departures.skipped_met
  const found: Found = { known, missing, files }
  const root = identifiedRoot(folder.path)
  const acknowledgement =
    root.kind === 'online' ? acknowledgementOn(root, before.disappearance) : undefined
  if (acknowledgement)
    return exceedsAcknowledgement(acknowledgement, filesThere(found), limits)
      ? waitingText(folder.name, found)
      : undefined
  const was = { ...before, online: true, is_first_check: true, evidence: known }
  const trust =
    root.kind === 'online' ? trustInRoot(was, root, known > limits.empty_folder_files) : 'trusted'
  const is_other =
    trust === 'other_disk' ||
    (trust === 'compare' && isOtherDisk({ known, met: filesThere(found) }))
  const newcomers = departures.lost(end, ({ arrived_ms }) => isNewcomer(arrived_ms, now_ms))
  const is_known_disk = trust === 'trusted' || trust === 'check_loss'
  const lost = is_known_disk ? withoutNewcomers(found, newcomers) : found
  return is_other || hasVanished(lost, limits) ? waitingText(folder.name, found) : undefined
}

interface NewFile {
  path: string
  stat: FileStat
  /** The content that the ledger has for this path. */
  held: number | undefined
}

async function planBatch(batch: ScanBatch, round: FolderRound): Promise<void> {
  const { folder, cases, arriving, tally, departures, scanned } = round
  const fresh: NewFile[] = []
  for (let index = 0; index < batch.count; index += 1) {
    const path = entryPath(batch, index)
    const stat = entryStat(batch, index)
    const known = departures.meet(path)
    const file = scanned(path, stat, known)
    const judged = judge(file)
    const reason =
      judged === 'type_refused' ? (reasonOfType(typeOf(round, path)) ?? 'type_rests') : judged
    if (reason === undefined) fresh.push({ path, stat, held: known?.content })
    else tally.stays(reason, path, stat.size)
    if (cases && isLeftOutAnew(reason, file)) {
      arriving.left_out.set(`${folder.project_id} ${stat.size}`, { folder: folder.name, path })
    }
  }
  const reasons = await (round.examiner
    ? readAndCompare(fresh, round, round.examiner)
    : unreadableOnes(fresh, round))
  for (const [index, { path, stat, held }] of fresh.entries()) {
    const known = typeOf(round, path)
    const reason = reasons[index] ?? reasonOfType(known)
    const is_unreadable = reason !== undefined && reason in block_reasons
    // Without its bytes, every content of this size may be this file.
    if (!round.examiner || is_unreadable) arriving.sizes.add(`${folder.project_id} ${stat.size}`)
    if (!is_unreadable) departures.changes(path, held)
    if (reason === undefined) tally.goesUp(path, stat.size, known === 'unread')
    else tally.stays(reason, path, stat.size)
  }
}

/** For each file `unreadable`, if this user may not read it. */
async function unreadableOnes(
  files: readonly NewFile[],
  { folder: { path: root }, silence }: FolderRound,
): Promise<(Reason | undefined)[]> {
  const asked = areClosed(
    root,
    files.map(({ path }) => path),
  )
  const closed = await unlessSilent(root, silence, asked, () => {
    throw noAnswer(root)
  })
  return closed.map((is_closed) => (is_closed ? 'unreadable' : undefined))
}

function typeOf({ folder, unread_types }: FolderRound, path: string) {
  return unread_types?.get(typeKey(folder.project_id, path))
}

/** A type is at fault only if none of its files was ever ready. */
function reasonOfType(known: ReturnType<typeof typeOf>): Reason | undefined {
  if (known === 'refused') return 'type_refused'
  return known === 'rests' ? 'type_rests' : undefined
}

function newArriving() {
  return {
    bytes: new Set<string>(),
    sizes: new Set<string>(),
    left_out: new Map<string, { folder: string; path: string }>(),
  }
}

/**
 * True for files skipped now that the ledger does not know as skipped. Nothing has read them, so
 * each may be a file that is gone elsewhere.
 */
function isLeftOutAnew(reason: Reason | undefined, { stat, known }: ScannedFile): boolean {
  if (reason === undefined || !(reason in skip_reasons) || stat.size === 0) return false
  return known?.stage !== 'skipped' || !sameStat(known.stat, stat)
}

/** Reads files and judges them by their bytes; undefined for files to upload. */
async function readAndCompare(files: readonly NewFile[], round: FolderRound, examiner: Examiner) {
  const { folder, arriving, ledger, seen } = round
  const outcomes = await examiner.fingerprint(folder.path, files)
  return outcomes.map((outcome, index): Reason | undefined => {
    if (outcome.kind === 'changed' || outcome.kind === 'missing') return 'changing'
    if (outcome.kind !== 'hashed') return outcome.kind
    const size = files[index]!.stat.size
    if (isBlank(size, outcome.md5)) return 'placeholder'
    const key = `${folder.project_id} ${outcome.md5} ${size}`
    arriving.bytes.add(key)
    const state = ledger?.contentState(folder.project_id, outcome.md5, size)
    if (state !== undefined && state !== 'abandoned' && state !== 'type_refused')
      return 'known_bytes'
    if (seen.has(key)) return 'same_bytes'
    seen.add(key)
    return undefined
  })
}

/** `unreadable_files`: number of files of this scan that this user cannot read. */
function scanAnswer(
  { files: _files, bytes: _bytes, ...end }: ScanEnd,
  unreadable_files: number,
): NonNullable<FolderPlan['seen']> {
  return {
    ...end,
    unreadable_total: end.unreadable_total + unreadable_files,
    ignored: end.ignored.toSorted((a, b) => b.count - a.count),
    odd_names: end.odd_names.map(({ escaped_path }) => escaped_path),
  }
}

/**
 * `upload_limit` is null without that limit; `is_reached`: files would wait for a user. `days` is
 * the duration under max_bytes_per_day; null without that limit.
 */
function limitsFor(
  { uploads }: Config,
  ledger: LedgerView | undefined,
  to_send: Amount,
  now_ms: number,
) {
  const { limit, limit_hours: per_hours, max_bytes_per_day } = uploads
  const days = max_bytes_per_day === 'off' ? null : Math.ceil(to_send.bytes / max_bytes_per_day)
  if (limit === 'off') return { upload_limit: null, days }
  const { files, bytes } = sumOf([
    to_send,
    ledger?.used('wanted', per_hours * hour_ms, now_ms) ?? noAmount(),
  ])
  return {
    upload_limit: { ...limit, per_hours, is_reached: files > limit.files || bytes > limit.bytes },
    days,
  }
}
