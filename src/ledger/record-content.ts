import type { Sqlite } from '../base/sqlite.ts'
import { day_ms } from '../base/time.ts'
import { type ContentProgress, contentAfter, isUnderway } from '../domain/content.ts'
import type { ContentFact } from '../domain/fact.ts'
import { type ContentRow, ContentRows } from './content-rows.ts'
import { is_there, oldestThere } from './copies.ts'
import type { Counts } from './counts.ts'
import { fact_table } from './fact-table.ts'
import type { FolderRows } from './folder-rows.ts'
import { HostRows } from './host-rows.ts'
import type { RemovalRows } from './removal-rows.ts'
import type { Tickets } from './tickets.ts'
import type { Usage } from './usage.ts'

/** Applies facts about contents: the pure transition, then everything in the ledger that follows from it. */
export class ContentRecorder {
  readonly rows: ContentRows
  readonly #folders: FolderRows
  readonly #counts: Counts
  readonly #tickets: Tickets
  readonly #usage: Usage
  readonly #hosts: HostRows
  readonly #removals: RemovalRows
  readonly #present_by_folder
  readonly #present
  readonly #held
  readonly #same_asset
  readonly #arrive
  readonly #mark_ready
  readonly #mark_sent
  readonly #mark_labels_due
  readonly #want_anew
  readonly #forget_labels
  readonly #forget_label_intents
  readonly #append_history

  constructor(
    database: Sqlite,
    parts: { folders: FolderRows; counts: Counts; tickets: Tickets; usage: Usage; removals: RemovalRows },
  ) {
    this.rows = new ContentRows(database)
    this.#folders = parts.folders
    this.#counts = parts.counts
    this.#tickets = parts.tickets
    this.#usage = parts.usage
    this.#hosts = new HostRows(database)
    this.#removals = parts.removals
    this.#present_by_folder = database.prepare(
      `SELECT folder, count(*) AS files FROM files WHERE content = ? AND state = 'present' GROUP BY folder`,
    )
    this.#present = database.prepare(`SELECT 1 FROM files WHERE content = ? AND state = 'present' LIMIT 1`)
    this.#held = database.prepare(`SELECT 1 FROM files WHERE content = ? AND ${is_there} LIMIT 1`)
    this.#same_asset = database
      .prepare(`SELECT id FROM contents WHERE asset_id = ? AND id <> ? AND state = 'ready'`)
      .pluck()
    this.#arrive = database.prepare(
      `INSERT INTO arrivals (folder, content, at_ms, there_ms) VALUES (@folder, @content, @at_ms,
         ${oldestThere('@content', '@folder')}) ON CONFLICT DO NOTHING`,
    )
    this.#mark_ready = database.prepare(`UPDATE files SET ready_ms = ? WHERE content = ? AND state = 'present'`)
    // A file that changed while its bytes went out is not `present` any more; its next version must wait all the same.
    this.#mark_sent = database.prepare(`UPDATE files SET sent_ms = ? WHERE content = ? AND state <> 'gone'`)
    this.#mark_labels_due = database.prepare('UPDATE contents SET labels_due_ms = ? WHERE id = ?')
    this.#want_anew = database.prepare('UPDATE contents SET wanted_ms = ? WHERE id = ?')
    this.#forget_labels = database.prepare('DELETE FROM asset_labels WHERE content = ?')
    this.#forget_label_intents = database.prepare('DELETE FROM label_intents WHERE content = ?')
    this.#append_history = database.prepare('INSERT INTO history (at_ms, content, event, detail) VALUES (?, ?, ?, ?)')
  }

  /** False where the fact says nothing about the content as it now stands. */
  apply(fact: ContentFact, at_ms: number): boolean {
    const before = this.rows.get(fact.content)
    const after = before && contentAfter(before, fact, at_ms)
    if (!before || !after) return false
    // A path came with these bytes meanwhile, or has them in a folder that is away.
    if (fact.type === 'content_orphaned' && this.#present.get(before.id) !== undefined) return false
    if (fact.type === 'removal_intended' && this.#held.get(before.id) !== undefined) return false
    this.#keepTicket(fact, at_ms)
    this.rows.update(before, after)
    // The next asset of this content begins without any.
    if (before.asset_id !== undefined && after.asset_id !== before.asset_id) {
      this.#forget_labels.run(before.id)
      this.#forget_label_intents.run(before.id)
    }
    if (after.state !== before.state) this.#restage(before, after, at_ms)
    if (fact.type === 'bytes_accepted') {
      this.#mark_sent.run(at_ms, before.id)
      this.#usage.add('sent', before.size, at_ms)
    }
    if (fact_table[fact.type].is_history) {
      this.#append_history.run(at_ms, before.id, fact.type, after.error_message ?? null)
    }
    if (fact.type === 'asset_missing' && mayBeRemovedByUs(before, at_ms)) this.#wantAgain(before.id, at_ms)
    if (fact.type === 'asset_removed') this.#afterRemoval(before, at_ms)
    if (fact.type === 'asset_kept') this.#afterKeeping(before, fact, at_ms)
    return true
  }

  /** A person asks again: what was given up is wanted, what was set back is due now. */
  retry(id: number, at_ms: number): void {
    const content = this.rows.get(id)
    if (!content) return
    if (content.state === 'refused' || content.state === 'removed_on_service') {
      this.apply({ type: 'content_wanted_again', content: id, not_before_ms: at_ms }, at_ms)
    } else if (isUnderway(content.state)) this.rows.update(content, { ...content, not_before_ms: at_ms })
  }

  /** A content that just became usable through this folder; nothing happens when it already was. */
  arrive(folder: number, content: number, at_ms: number): void {
    this.#arrive.run({ folder, content, at_ms })
  }

  /** Where no folder asks for labels there is nothing to do; labels taken out of the config come here as `relabel`. */
  labelsDue(content: number, at_ms: number): void {
    if (this.#folders.wantLabels()) this.#mark_labels_due.run(at_ms, content)
  }

  labelsDone(content: number): void {
    this.#mark_labels_due.run(null, content)
  }

  /** What came back meanwhile is sent anew; so is what the service kept as the same asset. */
  #afterRemoval(content: ContentRow, at_ms: number): void {
    this.#removals.removed(content, at_ms)
    const others = this.#same_asset.all(content.asset_id, content.id) as number[]
    for (const other of others) this.apply({ type: 'asset_missing', content: other }, at_ms)
    for (const id of [content.id, ...others]) this.#wantAgain(id, at_ms)
  }

  #wantAgain(content: number, at_ms: number): void {
    if (this.#present.get(content) === undefined) return
    this.apply({ type: 'content_wanted_again', content, not_before_ms: at_ms }, at_ms)
  }

  #afterKeeping(
    { id, project }: ContentRow,
    { error, by_service, not_before_ms }: Extract<ContentFact, { type: 'asset_kept' }>,
    at_ms: number,
  ): void {
    this.#removals.putOff(id, not_before_ms, error && 'service')
    if (error === undefined) return
    this.#append_history.run(at_ms, id, 'asset_kept', error.message)
    if (by_service) this.#removals.serviceRefuses(project, error, at_ms)
  }

  #keepTicket(fact: ContentFact, at_ms: number): void {
    if (fact.type === 'slot_reserved') {
      this.#tickets.put(fact.content, fact.asset_id, fact.ticket)
      this.#hosts.noteUpload(fact.ticket.upload_url, at_ms)
    } else if (fact_table[fact.type].ends_ticket) this.#tickets.erase(fact.content)
  }

  #restage(before: ContentRow, after: ContentProgress, at_ms: number): void {
    const folders = this.#present_by_folder.all(before.id) as { folder: number; files: number }[]
    for (const { folder, files } of folders) {
      this.#counts.add(folder, before.state, -files, -files * before.size)
      this.#counts.add(folder, after.state, files, files * before.size)
      if (after.state === 'ready') this.arrive(folder, before.id, at_ms)
    }
    // How long it waits is counted from here: what was ready or refused for a year has not waited for a year.
    if (isUnderway(after.state) && !isUnderway(before.state)) this.#want_anew.run(at_ms, before.id)
    if (after.state === 'ready') {
      this.#mark_ready.run(at_ms, before.id)
      this.labelsDue(before.id, at_ms)
      this.#removals.becameReady(before.id, at_ms)
    }
  }
}

/** A service may carry out later what it gave no answer to: so long a removal of ours may be why an asset is not there. */
const removal_echo_ms = day_ms

/** It was meant to be removed after it was ready, and then was not: what was asked may have come to pass all the same. */
function mayBeRemovedByUs({ intended_ms = 0, ready_ms }: ContentRow, at_ms: number): boolean {
  return ready_ms !== undefined && intended_ms > ready_ms && at_ms - intended_ms < removal_echo_ms
}
