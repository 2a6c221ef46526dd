import type { ContentState } from '../../domain/content.ts'
import type { FileFact } from '../../domain/fact.ts'
import { changingSince, type FileStat, mayChange, sameStat } from '../../domain/file.ts'
import type { LedgerLimits } from '../ledger.ts'
import type { NewTimes } from '../rows/content-rows.ts'
import type { Counts, Usage } from '../rows/counts.ts'
import type { EvidenceCounts } from '../rows/evidence.ts'
import { type FileRow, type FileRows, heldBy } from '../rows/file-rows.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import type { RemovalRows } from '../rows/removal-rows.ts'
import type { Waits } from '../rows/waits.ts'
import type { ChangeLog } from './record-change.ts'
import type { ContentRecorder } from './record-content.ts'

interface ContentOfFile {
  id: number
  state: ContentState
  is_new?: true
  ready_ms?: number | undefined
}

/** A file as it was found: hashed, with the stat of exactly these bytes. */
export type Settled = Pick<Extract<FileFact, { type: 'file_settled' }>, 'path' | 'stat' | 'md5'>

const unknown_stat: FileStat = { size: 0, mtime_ns: 0n, ctime_ns: 0n, inode: 0n }

/** Applies facts about paths: their row, the content that it points to, the counts. */
export function createFileRecorder(parts: {
  folders: FolderRows
  files: FileRows
  contents: ContentRecorder
  counts: Counts
  usage: Usage
  removals: RemovalRows
  evidence: EvidenceCounts
  limits: LedgerLimits
  waits: Waits
  changes: ChangeLog
}) {
  const { folders, files, contents, counts, usage, removals, evidence, limits, waits, changes } =
    parts

  /** Files that got the bytes of a ready content, as FOLDER/PATH. */
  const linked: string[] = []

  function apply(fact: FileFact, at_ms: number): void {
    const folder = folders.named(fact.folder)
    if (!folder) return
    const row = files.get(folder.id, fact.path)
    switch (fact.type) {
      case 'file_seen':
        unsettle(folder, fact.path, row, fact.stat, fact.not_before_ms, at_ms)
        break
      case 'file_changed':
        // The reporter of this fact may have seen other bytes under the same stat.
        if (row)
          unsettle(
            folder,
            fact.path,
            { ...row, left_out_after: undefined },
            row.stat,
            fact.not_before_ms,
            at_ms,
          )
        break
      case 'file_settled':
        settle(folder, row, fact, at_ms)
        break
      case 'file_gone':
        if (row) gone(folder, row, at_ms)
        break
      case 'file_ignored':
        if (row) forget(row, at_ms)
        break
      case 'file_skipped': {
        const { stat, reason, rule } = fact
        // The check behind this fact came before a user accepted the file.
        if (row?.accepted && reason === 'before_start') return void checkAgain(row, {}, at_ms)
        const base = baseRow(folder, fact.path, row, stat, at_ms)
        // The file may have moved since the first scan, which changes its ctime.
        const there_ms =
          reason === 'before_start' ? Math.min(changed_ms(stat), folder.started_ms) : base.there_ms
        const left_out_after = base.left_out_after ?? contents.rows.newest()
        // A file with a placeholder was not deleted, even if it was missing for a moment.
        const gone_ms = reason === 'placeholder' ? undefined : base.gone_ms
        const skipped = { stat, reason, detail: rule, there_ms, left_out_after, gone_ms }
        write(row, { ...base, ...skipped, state: 'skipped' }, at_ms)
        if (row?.content !== undefined) contents.filesChanged(row.content, at_ms)
        break
      }
      case 'file_blocked': {
        const base = baseRow(folder, fact.path, row, fact.stat, at_ms)
        const stat = fact.stat ?? row?.stat ?? unknown_stat
        const { reason, detail, not_before_ms } = fact
        write(row, { ...base, state: 'blocked', stat, reason, detail, not_before_ms }, at_ms)
        break
      }
    }
  }

  function unsettle(
    folder: FolderRow,
    path: string,
    row: FileRow | undefined,
    stat: FileStat,
    not_before_ms: number,
    at_ms: number,
  ): void {
    const base = baseRow(folder, path, row, stat, at_ms)
    write(row, { ...base, state: 'seen', stat, not_before_ms }, at_ms)
  }

  function settle(folder: FolderRow, row: FileRow | undefined, fact: Settled, at_ms: number): void {
    const base = baseRow(folder, fact.path, row, fact.stat, at_ms)
    const content = contentFor(folder, row, fact, at_ms)
    if (content.id === undefined) {
      const detail = 'more new files than the upload limit allows (uploads.limit)'
      write(
        row,
        { ...base, state: 'blocked', stat: fact.stat, reason: 'upload_limit', detail },
        at_ms,
      )
      return
    }
    const is_ready = content.state === 'ready'
    const same_as_before = row?.content === content.id
    const is_other = row?.content !== undefined && !same_as_before
    const there_ms = (is_other ? undefined : base.there_ms) ?? thereWith(folder, content)
    write(
      row,
      {
        ...base,
        state: 'present',
        stat: fact.stat,
        content: content.id,
        there_ms,
        settled_ms: at_ms,
        left_out_after: undefined,
        gone_ms: undefined,
        ready_ms: is_ready ? inSince(same_as_before ? row : undefined, content, at_ms) : undefined,
      },
      at_ms,
      content.state,
    )
    // A file that was there before the folder's setup does not come when its bytes become known.
    if (row?.content !== undefined || base.there_ms === undefined)
      changes.note(folder, fact.path, heldBy(row), content.id)
    if (is_ready) {
      if (!same_as_before) linked.push(`${folder.name}/${fact.path}`)
      contents.arrive(folder.id, content.id, at_ms)
      contents.filesChanged(content.id, at_ms)
    }
    if (!same_as_before && row?.content !== undefined) contents.filesChanged(row.content, at_ms)
  }

  /** The content of these bytes, known or new. Without an id if the upload limit holds the file. */
  function contentFor(
    folder: FolderRow,
    row: FileRow | undefined,
    { path, md5, stat }: Settled,
    at_ms: number,
  ): ContentOfFile | { id?: undefined } {
    const { rows } = contents
    const bytes = { project: folder.project, md5, size: stat.size }
    const is_held = !row?.accepted && uploadLimitHolds(stat.size, at_ms)
    // For an unknown path the bytes are mostly new, too. So a query for them first would be wasted.
    if (row === undefined && !is_held) {
      const id = rows.insertNew(bytes, newTimes(row, stat, at_ms))
      if (id !== undefined) return wanted(id, stat, at_ms)
    }
    const known = rows.find(bytes.project, md5, stat.size)
    const has_other_type =
      known?.state === 'type_refused' && !contents.types.isHeld(bytes.project, path)
    const times = newTimes(row, stat, at_ms)
    if (known && known.state !== 'abandoned' && !has_other_type) {
      // The other paths may be out of reach, or may have sent an earlier version just now.
      const { not_before_ms: due_ms } = times
      if (known.not_before_ms > due_ms)
        waits.end('path_found', at_ms, { content: known.id, due_ms })
      return known
    }
    if (is_held) return {}
    if (known) {
      usage.add('wanted', stat.size, at_ms)
      const { not_before_ms } = times
      contents.apply({ type: 'content_wanted_again', content: known.id, not_before_ms }, at_ms)
      rows.changedAt(known.id, times.newest_ms)
      return rows.get(known.id)!
    }
    return wanted(rows.insertNew(bytes, times)!, stat, at_ms)
  }

  function newTimes(row: FileRow | undefined, stat: FileStat, at_ms: number): NewTimes {
    // A time in the future means that the clock was turned back since.
    const sent_ms = Math.min(row?.sent_ms ?? Number.NEGATIVE_INFINITY, at_ms)
    const not_before_ms = Math.max(at_ms, sent_ms + limits.min_resend_ms)
    return { not_before_ms, wanted_ms: at_ms, newest_ms: Number(stat.mtime_ns / 1_000_000n) }
  }

  function wanted(id: number, { size }: FileStat, at_ms: number): ContentOfFile {
    usage.add('wanted', size, at_ms)
    return { id, state: 'wanted', is_new: true }
  }

  /** A new content has no holder yet. */
  function thereWith(folder: FolderRow, content: ContentOfFile): number | undefined {
    return content.is_new ? undefined : files.thereWith(folder.id, content.id)
  }

  function uploadLimitHolds(bytes: number, at_ms: number): boolean {
    const upload_limit = limits.upload_limit
    if (!upload_limit) return false
    const lately = usage.over('wanted', upload_limit.per_ms, at_ms)
    return lately.files + 1 > upload_limit.files || lately.bytes + bytes > upload_limit.bytes
  }

  function gone(folder: FolderRow, row: FileRow, at_ms: number): void {
    if (row.state === 'gone') return
    // A file that `start` left out stays known. It may have moved, and its new path is checked
    // after the old one.
    if (row.content === undefined && row.reason !== 'before_start') {
      forget(row, at_ms)
      return
    }
    write(
      row,
      {
        ...row,
        state: 'gone',
        gone_ms: at_ms,
        not_before_ms: undefined,
        left_out_after: undefined,
      },
      at_ms,
    )
    changes.note(folder, row.path, heldBy(row), undefined)
    if (row.content !== undefined) contents.filesChanged(row.content, at_ms)
  }

  function forget(row: FileRow, at_ms: number): void {
    counts.add(row.folder, stage(row), -1, -row.stat.size)
    files.delete(row.folder, row.path)
    evidence.follow(row, undefined)
    removals.follow(row, undefined, at_ms)
    if (row.content !== undefined) contents.filesChanged(row.content, at_ms)
  }

  /** `content_state` saves a read if the caller knows it. */
  function write(
    before: FileRow | undefined,
    after: FileRow,
    at_ms: number,
    content_state?: string,
  ): void {
    if (before) counts.add(before.folder, stage(before), -1, -before.stat.size)
    counts.add(after.folder, content_state ?? stage(after), 1, after.stat.size)
    files.put({ ...after, since_ms: waitsSince(before, after, at_ms) })
    evidence.follow(before, after)
    removals.follow(before, after, at_ms)
  }

  function stage(row: FileRow): string {
    if (row.state !== 'present' || row.content === undefined) return row.state
    return contents.rows.get(row.content)?.state ?? row.state
  }

  /** Deletes the row of a file that has been gone for long. */
  function dropTombstone(folder: number, path: string): void {
    const row = files.get(folder, path)
    if (row?.state === 'gone') forget(row, row.gone_ms ?? row.seen_ms)
  }

  /** Makes a row due for a check now: for a user, a changed config or a restored ledger. */
  function checkAgain(
    row: FileRow,
    change: Partial<Pick<FileRow, 'accepted' | 'content' | 'gone_ms' | 'sent_ms'>>,
    at_ms: number,
  ): void {
    // Intake judges a file that `start` left out by `start` again, not as an arrival.
    const reason = row.reason === 'before_start' && !change.accepted ? row.reason : undefined
    // Without its content: the folder got another project, and the file was there before that.
    const there_ms = 'content' in change ? (row.there_ms ?? row.seen_ms) : row.there_ms
    // The due time of a file that settles is the proof that it is quiet.
    const settles = row.state === 'seen' && row.reason === undefined
    const not_before_ms = settles ? Math.max(at_ms, row.not_before_ms ?? at_ms) : at_ms
    const asked = { reason, detail: undefined, not_before_ms, there_ms, ...change }
    write(row, { ...row, ...asked, state: 'seen' }, at_ms)
  }

  return { apply, settle, dropTombstone, checkAgain, takeLinked: () => linked.splice(0) }
}

export type FileRecorder = ReturnType<typeof createFileRecorder>

/**
 * Unix ms since when the assistant has the ready content of a path. `before`: the row if it had
 * this content last. A file that is touched, saved with equal bytes or back again stays in since
 * then, unless the service lost the content meanwhile.
 */
function inSince(
  before: FileRow | undefined,
  { ready_ms = 0 }: ContentOfFile,
  at_ms: number,
): number {
  return before?.ready_ms === undefined ? at_ms : Math.max(before.ready_ms, ready_ms)
}

/** Unix ms since when a file settles, or is blocked for its reason. */
function waitsSince(
  before: FileRow | undefined,
  after: FileRow,
  at_ms: number,
): number | undefined {
  if (mayChange(after)) return before ? changingSince(before, at_ms) : at_ms
  if (after.state !== 'blocked') return undefined
  const is_same = before?.state === 'blocked' && before.reason === after.reason
  return (is_same ? before.since_ms : undefined) ?? at_ms
}

/**
 * The row to build on. `seen_ms` is the first sight of this version of the file, and stays while
 * the file settles. The row keeps its last content, so that a touched file and its old version are
 * still known to belong together. `heldBy` says when the file does not hold that content.
 */
function baseRow(
  folder: FolderRow,
  path: string,
  row: FileRow | undefined,
  stat: FileStat | undefined,
  at_ms: number,
): FileRow {
  const same_stat = row !== undefined && (stat === undefined || sameStat(row.stat, stat))
  const same_version =
    row !== undefined &&
    (mayChange(row) || (same_stat && (row.state === 'blocked' || row.state === 'skipped')))
  return {
    folder: folder.id,
    path,
    state: 'seen',
    stat: row?.stat ?? unknown_stat,
    content: row?.content,
    reason: undefined,
    detail: undefined,
    not_before_ms: undefined,
    seen_ms: same_version ? row.seen_ms : at_ms,
    since_ms: undefined,
    settled_ms: undefined,
    left_out_after: same_version && stat && same_stat ? row.left_out_after : undefined,
    ready_ms: row?.ready_ms,
    gone_ms:
      row?.gone_ms ??
      (row?.content !== undefined && folder.moved_ms !== undefined ? at_ms : undefined),
    sent_ms: row?.sent_ms,
    accepted: row?.accepted ?? false,
    there_ms: stat ? thereSince(folder, row, stat) : row?.there_ms,
  }
}

/**
 * Unix ms since when the bytes were there; undefined if they came later. The first scan of a folder
 * decides this, for as long as the bytes may be the same. So a file that is renamed, or made
 * readable, before its upload is no arrival.
 */
function thereSince(
  folder: FolderRow,
  row: FileRow | undefined,
  stat: FileStat,
): number | undefined {
  if (row) {
    const may_be_same =
      row.content !== undefined ||
      (row.stat.size === stat.size && row.stat.mtime_ns === stat.mtime_ns)
    return may_be_same ? row.there_ms : undefined
  }
  const is_first_scan = folder.first_scan_ms === undefined
  return is_first_scan && changed_ms(stat) <= folder.started_ms ? changed_ms(stat) : undefined
}

/** Unix ms of the ctime, by the clock of the file system. */
function changed_ms({ ctime_ns }: FileStat): number {
  return Number(ctime_ns / 1_000_000n)
}
