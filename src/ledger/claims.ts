import type { Sqlite } from '../base/sqlite.ts'
import { day_ms, minute_ms } from '../base/time.ts'
import { type ContentRow, contentRow } from './content-rows.ts'
import { type FileRow, fileRow } from './file-rows.ts'
import type { FolderRows } from './folder-rows.ts'
import {
  type Claimed,
  type FollowWork,
  type LabelWork,
  type LedgerLimits,
  type LookWork,
  most_sources,
  type SendWork,
  type SourcePath,
} from './ledger.ts'
import type { ContentRecorder } from './record-content.ts'
import type { LabelRecorder } from './record-label.ts'
import type { Tickets } from './tickets.ts'
import type { Usage } from './usage.ts'

interface ClaimParts {
  folders: FolderRows
  contents: ContentRecorder
  labels: LabelRecorder
  tickets: Tickets
  usage: Usage
  limits: LedgerLimits
}

type ContentWork = 'send' | 'follow' | 'label'

/** A content whose only paths lie in folders that are offline or no longer configured is asked about again after this. */
const out_of_reach_ms = 5 * minute_ms

const to_send = `state IN ('wanted', 'reserving', 'reserved', 'sent')`
const not_excepted =
  'project NOT IN (SELECT id FROM projects WHERE project_id IN (SELECT value FROM json_each(@except)))'

/**
 * Hands out work. Claims live in memory: one process holds the ledger, and what it had claimed is free again when it ends.
 */
export class Claims {
  readonly #parts: ClaimParts
  readonly #claimed: Record<ContentWork, Map<number, number>> = { send: new Map(), follow: new Map(), label: new Map() }
  readonly #looks
  readonly #defer_look
  readonly #looked_at = new Map<string, number>()
  readonly #select: Record<ContentWork, ReturnType<Sqlite['prepare']>>
  readonly #next_due: Record<'look' | ContentWork, ReturnType<Sqlite['prepare']>>
  readonly #a_path
  readonly #sources
  readonly #defer

  constructor(database: Sqlite, parts: ClaimParts) {
    this.#parts = parts
    this.#looks = database.prepare(
      `SELECT folder, path FROM files WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL AND not_before_ms <= ?
       ORDER BY not_before_ms LIMIT ?`,
    )
    this.#defer_look = database.prepare('UPDATE files SET not_before_ms = ? WHERE folder = ? AND path = ?')
    const select = (condition: string, due: string) =>
      database.prepare(
        `SELECT * FROM contents WHERE ${condition} AND ${due} <= @now AND ${not_excepted} ORDER BY ${due}, id LIMIT @limit`,
      )
    this.#select = {
      send: select(to_send, 'not_before_ms'),
      follow: select(`state = 'ingesting'`, 'not_before_ms'),
      label: select(`state = 'ready' AND labels_due_ms IS NOT NULL`, 'labels_due_ms'),
    }
    const next = (table: string, condition: string, due: string) =>
      database.prepare(`SELECT min(${due}) FROM ${table} WHERE ${condition} AND ${due} > ?`).pluck()
    this.#next_due = {
      look: next('files', `state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`, 'not_before_ms'),
      send: next('contents', to_send, 'not_before_ms'),
      follow: next('contents', `state = 'ingesting'`, 'not_before_ms'),
      label: next('contents', `state = 'ready' AND labels_due_ms IS NOT NULL`, 'labels_due_ms'),
    }
    this.#a_path = database.prepare('SELECT folder, path FROM files WHERE content = ? LIMIT 1')
    this.#sources = database.prepare(`SELECT * FROM files WHERE content = ? AND state = 'present'`).safeIntegers(true)
    this.#defer = database.prepare('UPDATE contents SET not_before_ms = ? WHERE id = ?')
  }

  look(limit: number, now_ms: number): Claimed<LookWork> {
    const claimed = this.#looked_at
    for (const [key, until_ms] of claimed) if (until_ms <= now_ms) claimed.delete(key)
    const rows = this.#looks.all(now_ms, limit + claimed.size) as { folder: number; path: string }[]
    const work: LookWork[] = []
    for (const { folder: id, path } of rows) {
      if (claimed.has(lookKey(id, path))) continue
      const folder = this.#parts.folders.withId(id)
      if (folder?.configured && folder.offline_reason === undefined) {
        claimed.set(lookKey(id, path), now_ms + this.#parts.limits.claim_ms)
        work.push({ folder: folder.name, path })
      } else this.#defer_look.run(now_ms + out_of_reach_ms, id, path)
    }
    return { work, next_due_ms: this.#nextDue('look', now_ms) }
  }

  /** A fact about a path ends the claim on it. */
  endLook(folder: string, path: string): void {
    const row = this.#parts.folders.named(folder)
    if (row) this.#looked_at.delete(lookKey(row.id, path))
  }

  /** A folder came back: what was claimed and could not be looked at is due again. */
  forgetLooks(): void {
    this.#looked_at.clear()
  }

  send(limit: number, except: readonly string[], now_ms: number): Claimed<SendWork> {
    const work: SendWork[] = []
    let bytes_left = this.#bytesLeftToday(now_ms)
    for (const row of this.#due('send', limit, except, now_ms)) {
      if (work.length >= limit) break
      const item = this.#sendWork(row, now_ms)
      if (!item) continue
      const bytes = row.state === 'sent' ? 0 : row.size
      // A file larger than a whole day's limit goes when nothing else was sent that day: it would never go otherwise.
      if (bytes > bytes_left.now && !(bytes_left.untouched && work.length === 0)) break
      bytes_left = { now: bytes_left.now - bytes, untouched: false }
      this.#claim('send', row.id, now_ms)
      work.push(item)
    }
    return { work, next_due_ms: this.#nextDue('send', now_ms) }
  }

  follow(limit: number, except: readonly string[], now_ms: number): Claimed<FollowWork> {
    const rows = this.#due('follow', limit, except, now_ms).slice(0, limit)
    const work = rows.map((row) => {
      this.#claim('follow', row.id, now_ms)
      return {
        content: row.id,
        project_id: this.#projectOf(row),
        asset_id: row.asset_id ?? '',
        name: this.#nameOf(row),
        size: row.size,
        made_here: row.made_here,
        attempts: row.attempts,
        following_since_ms: row.following_since_ms ?? now_ms,
        error_code: row.error_code,
      }
    })
    return { work, next_due_ms: this.#nextDue('follow', now_ms) }
  }

  label(limit: number, except: readonly string[], now_ms: number): Claimed<LabelWork> {
    const work: LabelWork[] = []
    for (const row of this.#due('label', limit, except, now_ms).slice(0, limit)) {
      const wanted = this.#parts.labels.wanted(row.id)
      const attached = this.#parts.labels.attached(row.id)
      if (wanted === undefined || wanted.join('\n') === attached.map(({ name }) => name).join('\n')) {
        this.#parts.contents.labelsDone(row.id)
        continue
      }
      this.#claim('label', row.id, now_ms)
      const asset_id = row.asset_id ?? ''
      work.push({
        content: row.id,
        project_id: this.#projectOf(row),
        asset_id,
        name: this.#nameOf(row),
        wanted,
        attached,
      })
    }
    return { work, next_due_ms: this.#nextDue('label', now_ms) }
  }

  /** A fact about a content ends every claim on it. */
  end(content: number): void {
    for (const claimed of Object.values(this.#claimed)) claimed.delete(content)
  }

  release(work: ContentWork, contents: readonly number[]): void {
    for (const content of contents) this.#claimed[work].delete(content)
  }

  #claim(work: ContentWork, content: number, now_ms: number): void {
    this.#claimed[work].set(content, now_ms + this.#parts.limits.claim_ms)
  }

  #due(work: ContentWork, limit: number, except: readonly string[], now_ms: number): ContentRow[] {
    const claimed = this.#claimed[work]
    for (const [content, until_ms] of claimed) if (until_ms <= now_ms) claimed.delete(content)
    const rows = this.#select[work].all({
      now: now_ms,
      limit: limit + claimed.size,
      except: JSON.stringify(except),
    })
    return rows.map(contentRow).filter((row) => !claimed.has(row.id))
  }

  #sendWork(row: ContentRow, now_ms: number): SendWork | undefined {
    const kept = row.state === 'sent' || row.state === 'reserved' || row.state === 'reserving'
    const ticket = kept ? this.#parts.tickets.get(row.id) : undefined
    const sources = row.state === 'sent' ? [] : this.#sourcesOf(row, now_ms)
    if (!sources) return undefined
    return {
      content: row.id,
      project_id: this.#projectOf(row),
      md5: row.md5,
      size: row.size,
      state: row.state as SendWork['state'],
      asset_id: row.asset_id ?? ticket?.asset_id,
      without_md5: row.without_md5,
      attempts: row.attempts,
      slots_lost: row.slots_lost,
      ticket: ticket?.ticket,
      sources,
    }
  }

  /** Undefined where there is nothing to read from now: the content is abandoned, or deferred while its folder is away. */
  #sourcesOf(row: ContentRow, now_ms: number): SourcePath[] | undefined {
    const rows = (this.#sources.all(row.id) as Parameters<typeof fileRow>[0][]).map(fileRow)
    if (rows.length === 0) {
      this.#parts.contents.apply({ type: 'content_orphaned', content: row.id }, now_ms)
      return undefined
    }
    const sources = rows.map((file) => this.#source(file)).filter((source) => source !== undefined)
    if (sources.length > 0) return sources.slice(0, most_sources)
    this.#defer.run(now_ms + out_of_reach_ms, row.id)
    return undefined
  }

  #source({ folder: id, path, stat }: FileRow): SourcePath | undefined {
    const folder = this.#parts.folders.withId(id)
    if (!folder?.configured || folder.offline_reason !== undefined) return undefined
    return { folder: folder.name, root: folder.root, path, stat }
  }

  #bytesLeftToday(now_ms: number): { now: number; untouched: boolean } {
    const limit = this.#parts.limits.max_bytes_per_day
    if (limit === undefined) return { now: Number.POSITIVE_INFINITY, untouched: false }
    const sent = this.#parts.usage.over('sent', day_ms, now_ms).bytes
    return { now: limit - sent, untouched: sent === 0 }
  }

  #nextDue(work: 'look' | ContentWork, now_ms: number): number | undefined {
    return (this.#next_due[work].get(now_ms) as number | null) ?? undefined
  }

  /** For people: the folder and path of one of the files that hold the content. */
  #nameOf(row: ContentRow): string {
    const file = this.#a_path.get(row.id) as { folder: number; path: string } | undefined
    return file ? `${this.#parts.folders.withId(file.folder)?.name}/${file.path}` : `content ${row.id}`
  }

  #projectOf(row: ContentRow): string {
    return this.#parts.folders.projectId(row.project)
  }
}

function lookKey(folder: number, path: string): string {
  return `${folder} ${path}`
}
