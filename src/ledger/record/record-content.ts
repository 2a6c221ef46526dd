import type { Sqlite } from '../../base/files/sqlite.ts'
import type { FaultNote } from '../../base/run/errors.ts'
import { day_ms } from '../../base/time/time.ts'
import { ingest_failed } from '../../domain/asset.ts'
import { type ContentProgress, contentAfter, isUnderway } from '../../domain/content.ts'
import type { ContentFact } from '../../domain/fact.ts'
import {
  extensionOf,
  failures_to_blame,
  type Refusal,
  trial_ms,
  typeRefusal,
  typeRest,
  typeTrial,
} from '../../domain/file-type.ts'
import { fact_table } from '../fact-table.ts'
import type { Tickets } from '../file/tickets.ts'
import { type ContentRow, createContentRows } from '../rows/content-rows.ts'
import type { Counts, Usage } from '../rows/counts.ts'
import { is_there, oldestThere } from '../rows/file-rows.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import type { NameRows } from '../rows/name-rows.ts'
import { createReadingRows } from '../rows/reading-rows.ts'
import type { RemovalRows } from '../rows/removal-rows.ts'
import { createTypeRows } from '../rows/type-rows.ts'

/** Applies facts about contents: the pure transition, and what follows from it in the ledger. */
export function createContentRecorder(
  database: Sqlite,
  parts: {
    folders: FolderRows
    counts: Counts
    tickets: Tickets
    usage: Usage
    removals: RemovalRows
    names: NameRows
  },
) {
  const { folders, counts, tickets, usage, removals, names } = parts
  const rows = createContentRows(database)
  const types = createTypeRows(database, rows)
  const readings = createReadingRows(database)
  const present_by_folder = database.prepare(
    `SELECT folder, count(*) AS files FROM files WHERE content = ? AND state = 'present' GROUP BY folder`,
  )
  const present = database.prepare(
    `SELECT 1 FROM files WHERE content = ? AND state = 'present' LIMIT 1`,
  )
  const held = database.prepare(`SELECT 1 FROM files WHERE content = ? AND ${is_there} LIMIT 1`)
  const same_asset = database
    .prepare(`SELECT id FROM contents WHERE asset_id = ? AND id <> ? AND state = 'ready'`)
    .pluck()
  const arrive_sql = database.prepare(
    `INSERT INTO arrivals (folder, content, at_ms, there_ms) VALUES (@folder, @content, @at_ms,
       ${oldestThere('@content', '@folder')}) ON CONFLICT DO NOTHING`,
  )
  const mark_ready = database.prepare(
    `UPDATE files SET ready_ms = ? WHERE content = ? AND state = 'present'`,
  )
  // A file that changed while it was sent is not `present`, but its next version must wait, too.
  const mark_sent = database.prepare(
    `UPDATE files SET sent_ms = ? WHERE content = ? AND state <> 'gone'`,
  )
  const mark_labels_due = database.prepare('UPDATE contents SET labels_due_ms = ? WHERE id = ?')
  const want_anew = database.prepare('UPDATE contents SET wanted_ms = ? WHERE id = ?')
  const forget_labels = database.prepare('DELETE FROM asset_labels WHERE content = ?')
  const forget_label_intents = database.prepare('DELETE FROM label_intents WHERE content = ?')
  const note_host = database.prepare(
    `INSERT INTO hosts (what, origin, since_ms) VALUES ('blob', ?, ?)
       ON CONFLICT (what) DO UPDATE SET origin = excluded.origin, since_ms = excluded.since_ms
       WHERE origin <> excluded.origin`,
  )
  const append_history = database.prepare(
    'INSERT INTO history (at_ms, content, event, detail) VALUES (?, ?, ?, ?)',
  )

  /** False if the fact does not apply to the content as it is now; then nothing changes. */
  function apply(fact: ContentFact, at_ms: number): boolean {
    const before = rows.get(fact.content)
    const after = before && contentAfter(before, fact, at_ms)
    if (!before || !after) return false
    // Meanwhile a path got these bytes, or a path in an offline folder has them.
    if (fact.type === 'content_orphaned' && present.get(before.id) !== undefined) return false
    if (fact.type === 'removal_intended' && held.get(before.id) !== undefined) return false
    keepTicket(fact, at_ms)
    rows.update(before, after)
    // The next asset of this content begins without labels.
    if (before.asset_id !== undefined && after.asset_id !== before.asset_id) {
      forget_labels.run(before.id)
      forget_label_intents.run(before.id)
      names.forget(before.id)
      readings.forget(before.id)
    }
    if (fact.type === 'slot_reserved' && fact.given_name) names.give(before.id, fact.given_name)
    if (fact.type === 'asset_ready') {
      names.learn(before.id, fact.shown_name, at_ms)
      readings.set(before.id, fact.reading, at_ms)
    }
    if (after.state !== before.state) restage(before, after, at_ms)
    if ('refusal' in fact && fact.refusal) afterRefusal(before, fact, fact.refusal, at_ms)
    if (fact.type === 'slot_reserved' && fact.given_name)
      tryTypes(types.taken(before.project, extensionOf(fact.given_name.text)), at_ms)
    if (fact.type === 'bytes_accepted') {
      mark_sent.run(at_ms, before.id)
      usage.add('sent', before.size, at_ms)
    }
    if (fact_table[fact.type].is_history) {
      append_history.run(at_ms, before.id, fact.type, after.error_message ?? null)
    }
    if (
      fact.type === 'asset_missing' &&
      mayBeRemovedByUs(before, at_ms) &&
      present.get(before.id) !== undefined
    )
      retry([before.id], at_ms)
    if (fact.type === 'asset_removed') afterRemoval(before, at_ms)
    if (fact.type === 'asset_kept') afterKeeping(before, fact, at_ms)
    return true
  }

  /** Makes contents that were given up wanted again, and deferred ones due, whatever their type. */
  function retry(contents: readonly number[], at_ms: number): void {
    for (const id of contents) {
      const content = rows.get(id)!
      if (isUnderway(content.state))
        rows.update(content, { ...content, not_before_ms: at_ms, any_type: true })
      else if (content.state === 'removing')
        rows.update(content, { ...content, not_before_ms: at_ms })
      else apply({ type: 'content_wanted_again', content: id, not_before_ms: at_ms }, at_ms)
    }
  }

  /** A content was refused on create. What was refused alike before has the same cause. */
  function afterRefusal(
    content: ContentRow,
    fact: ContentFact,
    refusal: Refusal,
    at_ms: number,
  ): void {
    const { project } = content
    types.addRefusal(content, refusal)
    if (fact.type === 'types_freed') {
      const refused = types.refusedAlike(project, refusal.answer, 1)
      tryTypes(
        [...types.free(project, refusal.answer), ...refused.map(({ content }) => content)],
        at_ms,
      )
    } else if (fact.type === 'type_rests') {
      types.rest(project, refusal, fact.said, at_ms)
      for (const other of types.refusedAlike(project, refusal.answer, failures_to_blame))
        apply({ ...fact, ...other, refusal: { ...refusal, ...other } }, at_ms)
    }
  }

  /** Makes the contents of freed types wanted again. Their types still decide about them. */
  function tryTypes(contents: readonly number[], at_ms: number): void {
    for (const content of contents) {
      const again = { type: 'content_wanted_again', content, not_before_ms: at_ms } as const
      apply({ ...again, of_type: true }, at_ms)
    }
  }

  /** Refuses or defers a wanted content that its types hold. Returns false for any other. */
  function heldByType(content: ContentRow, at_ms: number): boolean {
    const type =
      content.state === 'wanted' && !content.any_type ? types.holding(content, at_ms) : undefined
    if (!type) return false
    if (type.state !== 'refused' && !type.rests)
      return hold(content, at_ms + trial_ms, typeTrial(type.extension))
    const { extension, rests } = type
    const { code } = typeRest(extension, '')
    const error = rests ? { code, message: rests } : typeRefusal(extension, saidOf(type))
    return apply({ type: 'type_refused', content: content.id, error }, at_ms)
  }

  /** The reason of one of the contents by which a type was refused. */
  function saidOf({ failed }: { failed: string }): string | undefined {
    const [content] = JSON.parse(failed) as number[]
    return content === undefined ? undefined : rows.get(content)?.error_message
  }

  /** Defers a content that is not at fault. It then has no place of an unproven type. */
  function hold(content: ContentRow, until_ms: number, { code, message }: FaultNote): true {
    types.leave(content.id)
    rows.update(content, {
      ...content,
      not_before_ms: until_ms,
      error_code: code,
      error_message: message,
    })
    return true
  }

  /** Records that a content became usable through this folder; does nothing if it already was. */
  const arrive = (folder: number, content: number, at_ms: number): void =>
    void arrive_sql.run({ folder, content, at_ms })

  /**
   * Call it when a file got or lost the content. Its name is due, and its labels if a folder gives
   * any. If the config takes one away, record-user.ts does.
   */
  function filesChanged(content: number, at_ms: number): void {
    names.due(content, at_ms)
    labelsDue(content, at_ms)
  }

  function labelsDue(content: number, at_ms: number): void {
    if (folders.wantLabels()) mark_labels_due.run(at_ms, content)
  }

  const labelsDone = (content: number): void => void mark_labels_due.run(null, content)

  /**
   * Makes the content wanted again if a path holds it by now. Other contents with the same asset
   * lost it, too: they are missing, and wanted again likewise.
   */
  function afterRemoval(content: ContentRow, at_ms: number): void {
    removals.removed(content, at_ms)
    const others = same_asset.all(content.asset_id, content.id) as number[]
    for (const other of others) apply({ type: 'asset_missing', content: other }, at_ms)
    const wanted = [content.id, ...others].filter((id) => present.get(id) !== undefined)
    retry(wanted, at_ms)
  }

  function afterKeeping(
    { id, project }: ContentRow,
    { error, by_service, not_before_ms }: Extract<ContentFact, { type: 'asset_kept' }>,
    at_ms: number,
  ): void {
    removals.putOff(id, not_before_ms, error && 'service')
    if (error === undefined) return
    append_history.run(at_ms, id, 'asset_kept', error.message)
    if (by_service) removals.serviceRefuses(project, error, at_ms)
  }

  function keepTicket(fact: ContentFact, at_ms: number): void {
    if (fact.type === 'slot_reserved') {
      tickets.put(fact.content, fact.asset_id, fact.ticket)
      const { upload_url } = fact.ticket
      // Only the origin of a signed address is no secret.
      if (URL.canParse(upload_url)) note_host.run(new URL(upload_url).origin, at_ms)
    } else if (fact_table[fact.type].ends_ticket) tickets.erase(fact.content)
  }

  function restage(before: ContentRow, after: ContentProgress, at_ms: number): void {
    const folders = present_by_folder.all(before.id) as { folder: number; files: number }[]
    for (const { folder, files } of folders) {
      counts.add(folder, before.state, -files, -files * before.size)
      counts.add(folder, after.state, files, files * before.size)
      if (after.state === 'ready') arrive(folder, before.id, at_ms)
    }
    // A content that was ready or refused for a year has not waited for a year.
    if (isUnderway(after.state) && !isUnderway(before.state)) want_anew.run(at_ms, before.id)
    if (after.state === 'refused' && after.error_code === ingest_failed) types.failed(before, at_ms)
    else if (!isUnderway(after.state)) types.leave(before.id, at_ms)
    if (after.state === 'ready') {
      retry(types.becameReady(before, at_ms), at_ms)
      mark_ready.run(at_ms, before.id)
      labelsDue(before.id, at_ms)
      names.check(before.id, at_ms)
      removals.becameReady(before.id, at_ms)
    }
  }

  return { rows, types, readings, apply, retry, heldByType, hold, arrive, filesChanged, labelsDone }
}

export type ContentRecorder = ReturnType<typeof createContentRecorder>

/** The service may act on a request this much later, even if it gave no answer. */
const removal_echo_ms = day_ms

/** True if a removal by Sluice, which then kept the asset, may have had its effect. */
function mayBeRemovedByUs({ intended_ms = 0, ready_ms }: ContentRow, at_ms: number): boolean {
  return ready_ms !== undefined && intended_ms > ready_ms && at_ms - intended_ms < removal_echo_ms
}
