import { isSluiceError } from '../../base/run/errors.ts'
import type { FolderConfig } from '../../config/config.ts'
import {
  acknowledgementOn,
  identifiedRoot,
  refuseSilent,
  rootChange,
} from '../../disk/root/root.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
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
  withoutNewcomers,
} from '../../domain/disappearance.ts'
import { type FileStat, mayChange, sameStat, unreadableText } from '../../domain/file.ts'
import { skipReason } from '../../domain/file-reasons.ts'
import { max_missing } from '../../ledger/ledger.ts'
import type { ComparedFile } from '../../ledger/views/view-comparison.ts'
import type { FolderView } from '../../ledger/views/view-folders.ts'
import { hasPlaceholder } from '../plan/check-path.ts'
import { rowsBeside, type ScannedFile, scannedFiles } from '../plan/plan-files.ts'
import type { Difference, VerifyTools } from './verify-answer.ts'

const max_paths_at_once = 500

/**
 * Scans one folder beside the rows of the ledger, both in byte order, and reads each once. Unknown,
 * changed and missing files are checked again before they are reported, since a daemon may be
 * running. In an offline folder no file counts as gone. `on_the_way` counts files that settle and
 * that the ledger does not count as on the way or as not ready.
 */
export async function compareFolder(folder: FolderConfig, tools: VerifyTools) {
  const comparer = new FolderComparer(folder, tools)
  const base = { name: folder.name, path: folder.path }
  try {
    refuseSilent(folder.path, tools.silent ?? [])
    return { ...base, ...(await comparer.run()), ...comparer.counts }
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return { ...base, offline: error.message, complete: false, files: 0, read: 0, on_the_way: 0 }
  }
}

interface Entry {
  path: string
  stat: FileStat
}

class FolderComparer {
  readonly #folder: FolderConfig
  readonly #tools: VerifyTools
  readonly #known: FolderView | undefined
  readonly #rowAt: (path?: string) => ComparedFile | undefined
  readonly #scanned: ReturnType<typeof scannedFiles>
  readonly #missing: string[] = []
  /**
   * Known files that show a loss: those that the scan met, and those that it did not find. Skipped
   * ones show none.
   */
  #met = 0
  #skipped = 0
  #lost = 0
  #lost_newcomers = 0
  readonly counts = {
    /** Files that the scan found. */
    files: 0,
    /** Files whose bytes were read. */
    read: 0,
    on_the_way: 0,
  }

  constructor(folder: FolderConfig, tools: VerifyTools) {
    this.#folder = folder
    this.#tools = tools
    this.#known = tools.view.folders().find(({ name }) => name === folder.name)
    const { comparison, clock } = tools
    this.#scanned = scannedFiles(folder, { state: this.#known, comparison, now_ms: clock.now_ms() })
    this.#rowAt = rowsBeside(
      tools.comparison.files(folder.name),
      ({ path, is_evidence, arrived_ms }) => {
        if (is_evidence) this.#lost += 1
        if (is_evidence && isNewcomer(arrived_ms, clock.now_ms())) this.#lost_newcomers += 1
        if (this.#missing.length < max_missing) this.#missing.push(path)
      },
    )
  }

  /**
   * `offline` says why this is not the known folder; no file then counts as gone. `complete` is
   * true if the scan reached its end.
   */
  async run(): Promise<{ offline: string | null; complete: boolean }> {
    const { signal, silence } = this.#tools
    const scan = { root: this.#folder.path, ignore: this.#folder, signal, silence }
    const ended = await scanFolder(scan, (batch) => this.#take(batch))
    if (!ended.complete || signal.aborted) return { offline: null, complete: false }
    this.#rowAt()
    const doubt = this.#doubt(ended)
    if (doubt !== undefined) return { offline: doubt, complete: false }
    this.#reportUnreadable(ended)
    await this.#confirmMissing()
    return { offline: null, complete: true }
  }

  async #take(batch: ScanBatch): Promise<void> {
    const doubtful: string[] = []
    const to_read: (Entry & { known: ComparedFile })[] = []
    for (let index = 0; index < batch.count; index += 1) {
      const path = entryPath(batch, index)
      const stat = entryStat(batch, index)
      const known = this.#rowAt(path)
      if (known?.is_evidence) this.#met += 1
      if (known?.state === 'skipped' && !known.is_evidence) this.#skipped += 1
      const verdict = this.#judge(path, stat, known)
      if (verdict === 'on_the_way') this.#countSettling(known)
      else if (verdict === 'unknown_on_disk' || verdict === 'changed_on_disk') doubtful.push(path)
      else if (verdict === 'same' && this.#tools.full && known?.md5 !== undefined)
        to_read.push({ path, stat, known })
    }
    this.counts.files += batch.count
    this.#tools.onFile(batch.count)
    await this.#confirm(doubtful)
    await this.#read(to_read)
  }

  #judge(path: string, stat: FileStat, known: ComparedFile | undefined): DiskVerdict {
    const { settle_ms } = this.#folder
    return judgeOnDisk(this.#scanned(path, stat, known), settle_ms, this.#tools.clock.now_ms())
  }

  /** Adds a settling file, unless the ledger already counts it as on the way or as not ready. */
  #countSettling(known: ComparedFile | undefined): void {
    if (known === undefined || known.stage === 'ready' || known.stage === 'skipped')
      this.counts.on_the_way += 1
  }

  /**
   * Checks the disk again and then the ledger: a file that was taken up meanwhile is no difference.
   */
  async #confirm(paths: readonly string[]): Promise<void> {
    for await (const { path, found, known } of this.#checkAgain(paths)) {
      // The next comparison reports files that are gone since.
      if (found.kind !== 'file') continue
      const verdict = this.#judge(path, found.stat, known)
      if (verdict === 'on_the_way') this.#countSettling(known)
      else if (verdict === 'unknown_on_disk')
        this.#report({ kind: verdict, path, message: 'not known yet' })
      else if (verdict === 'changed_on_disk') {
        this.#report({
          kind: verdict,
          path,
          ...assetOf(known),
          message: changeText(known!.stat, found.stat),
        })
      }
    }
  }

  async *#checkAgain(paths: readonly string[]) {
    const { examiner, comparison } = this.#tools
    const { name, path: root } = this.#folder
    for (let from = 0; from < paths.length; from += max_paths_at_once) {
      const some = paths.slice(from, from + max_paths_at_once)
      const results = await examiner.lstat(root, some)
      for (const [index, path] of some.entries()) {
        yield { path, found: results[index]!, known: comparison.file(name, path) }
      }
    }
  }

  async #read(entries: readonly (Entry & { known: ComparedFile })[]): Promise<void> {
    if (entries.length === 0) return
    const outcomes = await this.#tools.examiner.fingerprint(this.#folder.path, entries)
    for (const [index, { path, known }] of entries.entries()) {
      const outcome = outcomes[index]!
      if (outcome.kind === 'hashed') {
        this.counts.read += 1
        if (outcome.md5 === known.md5) continue
        const message = `its size and times are as known, its bytes are not: md5 ${outcome.md5}, known ${known.md5}`
        this.#report({ kind: 'content_differs', path, ...assetOf(known), message })
      } else if (outcome.kind === 'unreadable') {
        this.#report({
          kind: 'unreadable',
          path,
          ...assetOf(known),
          message: unreadableText(outcome.code),
        })
      } else if (outcome.kind === 'outside') {
        this.#report({
          kind: 'unreadable',
          path,
          ...assetOf(known),
          message: 'its real place is outside the folder',
        })
      } else await this.#confirm([path])
    }
  }

  /**
   * Returns why the missing files do not count as gone; undefined if they do. It judges as a scan
   * does, by the files that show a loss. A user can accept it.
   */
  #doubt({ files: all_files }: ScanEnd): string | undefined {
    const { comparison, config } = this.#tools
    const state = comparison.folder(this.#folder.name)
    if (state === undefined) return undefined
    const missing = this.#lost
    const known = this.#met + missing
    const status = identifiedRoot(this.#folder.path)
    const found: Found = { known, missing, files: all_files - this.#skipped }
    const acknowledgement =
      status.kind === 'online' ? acknowledgementOn(status, state.disappearance) : undefined
    if (acknowledgement && !exceedsAcknowledgement(acknowledgement, filesThere(found), config.scan))
      return undefined
    const is_other = status.kind === 'online' && rootChange(state, status) !== 'none'
    const is_doubted = is_other && isOtherDisk({ known, met: this.#met })
    const lost = is_other ? found : withoutNewcomers(found, this.#lost_newcomers)
    if (!is_doubted && !hasVanished(lost, config.scan)) return undefined
    if (all_files === 0 && missing > config.scan.empty_folder_files)
      return `it is empty, and held ${known} files: unmounted? Nothing in it counts as gone`
    const has_other_path = state.is_moved || state.root !== this.#folder.path
    const why = has_other_path
      ? 'it had another path at the last scan'
      : 'another disk is mounted here, or none'
    return `${why}: ${missing} of ${known} files are missing; nothing in it counts as gone`
  }

  #reportUnreadable({ unreadable, unreadable_total }: ScanEnd): void {
    for (const { path, code } of unreadable)
      this.#report({ kind: 'unreadable', path, message: unreadableText(code) })
    const more = unreadable_total - unreadable.length
    if (more > 0) this.#report({ kind: 'unreadable', path: '', message: `and ${more} more` })
  }

  /**
   * Checks missing files again: below unreadable or newly ignored directories, none counts as gone.
   */
  async #confirmMissing(): Promise<void> {
    const rules = createIgnoreRules(this.#folder.path, this.#folder)
    for await (const { path, found, known } of this.#checkAgain(this.#missing)) {
      if (this.#tools.signal.aborted) return
      const { kind } = found
      if (kind === 'file' || kind === 'unreadable' || rules.verdict(path, 'file').ignored) continue
      if (known === undefined || hasPlaceholder(this.#folder.path, path)) continue
      const message = kind === 'missing' ? 'it is not there any more' : `a ${kind} has its name`
      this.#report({ kind: 'gone_from_disk', path, ...assetOf(known), message })
    }
  }

  #report(difference: Omit<Difference, 'folder'>): void {
    this.#tools.onDifference({ ...difference, folder: this.#folder.name })
  }
}

function assetOf({ asset_id }: Pick<ComparedFile, 'asset_id'> = { asset_id: undefined }): {
  asset_id?: string
} {
  return asset_id === undefined ? {} : { asset_id }
}

function changeText(known: FileStat, now: FileStat): string {
  if (known.size !== now.size) return `${now.size} bytes, known with ${known.size}`
  if (known.mtime_ns !== now.mtime_ns) return 'written since the last check'
  if (known.ctime_ns !== now.ctime_ns) return 'touched since the last check'
  return 'another file has its name'
}

type DiskVerdict = 'same' | 'left_out' | 'on_the_way' | 'unknown_on_disk' | 'changed_on_disk'

/**
 * Judges a scanned file by its stat alone. Pure. A file that changed within the settle time, or
 * waits for its next check, is on its way and no difference. Neither is a file that is not
 * uploaded.
 */
function judgeOnDisk(file: ScannedFile, settle_ms: number, now_ms: number): DiskVerdict {
  const { stat, known } = file
  if (known && mayChange(known)) return 'on_the_way'
  if (known && sameStat(known.stat, stat)) return known.state === 'skipped' ? 'left_out' : 'same'
  const may_be_skipped = known === undefined || known.state === 'skipped'
  if (may_be_skipped && skipReason(file) !== undefined) return 'left_out'
  if (isSettling(settle_ms, stat, now_ms)) return 'on_the_way'
  return known === undefined ? 'unknown_on_disk' : 'changed_on_disk'
}

/** Uses ctime, which the kernel sets: programs can set any mtime. */
function isSettling(settle_ms: number, stat: FileStat, now_ms: number): boolean {
  return Math.abs(now_ms - Number(stat.ctime_ns / 1_000_000n)) < settle_ms
}
