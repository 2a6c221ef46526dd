import type { Sqlite } from '../base/sqlite.ts'
import { ClaimQueries } from './claim-queries.ts'
import { ClaimTable, lookKey, UndoLog } from './claim-table.ts'
import type { ContentRow } from './content-rows.ts'
import { DailyBudget, HeldForBudget, nextHour } from './daily-budget.ts'
import { type FileRow, fileRow } from './file-rows.ts'
import type { FolderRows } from './folder-rows.ts'
import type {
  Claimed,
  FollowWork,
  LabelWork,
  LargeLimit,
  LedgerLimits,
  LookChoice,
  LookWork,
  Release,
  SendWork,
  SourcePath,
} from './ledger.ts'
import { OutOfReach } from './out-of-reach.ts'
import type { PauseRow } from './pause-row.ts'
import type { ContentRecorder } from './record-content.ts'
import { areSettled, type LabelRecorder } from './record-label.ts'
import { SizesLeft } from './sizes-left.ts'
import type { Tickets } from './tickets.ts'
import type { Usage } from './usage.ts'

interface ClaimParts {
  folders: FolderRows
  contents: ContentRecorder
  labels: LabelRecorder
  tickets: Tickets
  usage: Usage
  limits: LedgerLimits
  pause: PauseRow
}

type ContentWork = 'send' | 'follow' | 'label'
type LooksOfFolder = { folder: number; is_large: number }

/** Rows read for one claim at the most, those put off included: a folder with a million files offline costs a bit a call. */
const most_examined = 1_000

const any_file: LookChoice = { except_folders: [], sizes: ['small', 'large'] }

/**
 * Hands out work. Claims live in memory: one process holds the ledger, and what it had claimed is free again when it ends.
 */
export class Claims {
  readonly held_for_budget = new HeldForBudget()
  readonly #parts: ClaimParts
  readonly #undo = new UndoLog()
  readonly #claimed: Record<ContentWork, ClaimTable<number>>
  readonly #looked_at = new ClaimTable<string>(this.#undo)
  readonly #out_of_reach
  readonly #queries

  constructor(database: Sqlite, parts: ClaimParts) {
    this.#parts = parts
    const table = () => new ClaimTable<number>(this.#undo)
    this.#claimed = { send: table(), follow: table(), label: table() }
    this.#out_of_reach = new OutOfReach(database)
    this.#queries = new ClaimQueries(database)
  }

  look(limit: number, { except_folders, sizes }: LookChoice = any_file, now_ms: number): Claimed<LookWork> {
    this.#looked_at.expire(now_ms)
    const folders = this.#parts.folders.all().filter(({ name }) => !except_folders.includes(name))
    const work: LookWork[] = []
    const dues_ms: number[] = []
    for (const folder of folders) {
      const is_here = folder.configured && folder.offline_reason === undefined
      for (const size of sizes) {
        const looks = { folder: folder.id, is_large: size === 'large' ? 1 : 0 }
        if (is_here) work.push(...this.#claimLooks(folder.name, looks, limit, now_ms))
        else if (this.#deferLooks(looks, now_ms) === most_examined) dues_ms.push(now_ms)
        const due_ms = this.#queries.next_due.look.get({ ...looks, now: now_ms }) as number | null
        if (due_ms !== null) dues_ms.push(due_ms)
      }
    }
    return { work, next_due_ms: dues_ms.length === 0 ? undefined : Math.min(...dues_ms) }
  }

  #claimLooks(name: string, looks: LooksOfFolder, limit: number, now_ms: number): LookWork[] {
    const paths = this.#freeLooks(looks, limit, now_ms)
    const until_ms = now_ms + this.#parts.limits.claim_ms
    for (const path of paths) this.#looked_at.claim(lookKey(looks.folder, path), until_ms)
    return paths.map((path) => ({ folder: name, path }))
  }

  #deferLooks(looks: LooksOfFolder, now_ms: number): number {
    const paths = this.#freeLooks(looks, most_examined, now_ms)
    for (const path of paths) this.#out_of_reach.deferLook(looks.folder, path, now_ms)
    return paths.length
  }

  /** Those that wait longest, of those that nobody has claimed. */
  #freeLooks(looks: LooksOfFolder, limit: number, now_ms: number): string[] {
    const free: string[] = []
    for (const path of this.#queries.looks.iterate({ ...looks, now: now_ms }) as Iterable<string>) {
      if (free.length >= limit) break
      if (!this.#looked_at.has(lookKey(looks.folder, path))) free.push(path)
    }
    return free
  }

  /** A fact about a path ends the claim on it. */
  endLook(folder: string, path: string): void {
    const row = this.#parts.folders.named(folder)
    if (row) this.#looked_at.end(lookKey(row.id, path))
  }

  /** A folder came back: what was claimed and could not be looked at is due again, and what was put off. */
  folderBack(at_ms: number): void {
    this.#looked_at.clear()
    this.#out_of_reach.bringBack(at_ms)
  }

  send(
    limit: number,
    { except, large }: { except: readonly string[]; large: LargeLimit | undefined },
    now_ms: number,
  ): Claimed<SendWork> {
    const in_flight_bytes = this.#claimed.send.bytes()
    const { max_bytes_per_day, newest_first } = this.#parts.limits
    const budget = new DailyBudget(max_bytes_per_day, this.#parts.usage, in_flight_bytes, now_ms)
    if (this.#parts.pause.holds(now_ms)) budget.exhausted = true
    const select = newest_first ? this.#queries.send_newest : this.#queries.send_as_found
    const sizes = new SizesLeft(large)
    // Its bytes are there, and its slot runs out: behind thousands that are newer they would be sent once more. It costs no bytes.
    const sent = this.#due('send', limit, except, now_ms, this.#queries.to_complete)
    const work = this.#claimToSend(sent, {}, now_ms)
    for (let examined = 0; work.length < limit && !budget.exhausted; ) {
      if (examined >= most_examined) return { work, next_due_ms: now_ms }
      const rows = this.#due('send', limit - work.length, except, now_ms, select, sizes.up_to)
      if (rows.length === 0) break
      examined += rows.length
      work.push(...this.#claimToSend(rows, { budget, sizes }, now_ms))
    }
    this.held_for_budget.note(budget.exhausted && work.length === 0 && in_flight_bytes === 0, now_ms)
    const next_due_ms = this.#nextDue('send', now_ms)
    if (!budget.exhausted) return { work, next_due_ms }
    return { work, next_due_ms: Math.min(next_due_ms ?? Number.POSITIVE_INFINITY, nextHour(now_ms)) }
  }

  #claimToSend(
    rows: readonly ContentRow[],
    { budget, sizes }: { budget?: DailyBudget; sizes?: SizesLeft },
    now_ms: number,
  ): SendWork[] {
    const work: SendWork[] = []
    for (const row of rows) {
      const bytes = row.state === 'sent' ? 0 : row.size
      if (sizes && bytes > sizes.up_to) continue
      const item = this.#sendWork(row, now_ms)
      if (!item) continue
      if (budget && !budget.take(bytes)) break
      sizes?.take(bytes)
      this.#claim('send', row.id, now_ms, bytes)
      work.push(item)
    }
    return work
  }

  follow(limit: number, except: readonly string[], now_ms: number): Claimed<FollowWork> {
    const rows = this.#due('follow', limit, except, now_ms, this.#queries.follow)
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
    if (this.#parts.pause.holds(now_ms)) return { work: [], next_due_ms: undefined }
    const work: LabelWork[] = []
    for (const row of this.#due('label', limit, except, now_ms, this.#queries.label)) {
      const wanted = this.#parts.labels.wanted(row.id)
      const attached = this.#parts.labels.attached(row.id)
      if (wanted === undefined || areSettled(attached, wanted)) {
        this.#parts.contents.labelsDone(row.id)
        continue
      }
      this.#claim('label', row.id, now_ms)
      const of = { content: row.id, project_id: this.#projectOf(row), asset_id: row.asset_id ?? '' }
      work.push({ ...of, name: this.#nameOf(row), wanted, attached })
    }
    return { work, next_due_ms: this.#nextDue('label', now_ms) }
  }

  /** A fact about a content ends every claim on it. */
  end(content: number): void {
    for (const claimed of Object.values(this.#claimed)) claimed.end(content)
  }

  /** From here on the day's usage counts them. */
  bytesAreOut(content: number): void {
    this.#claimed.send.bytesAreOut(content)
  }

  release(...[work, items]: Exclude<Release, ['run' | 'delivery' | 'remove', unknown]>): void {
    if (work === 'look') for (const { folder, path } of items) this.endLook(folder, path)
    else for (const content of items) this.#claimed[work].end(content)
  }

  /** Claims follow the transaction: what was made or ended since the mark is taken back with it. */
  mark(): number {
    return this.#undo.mark()
  }

  backTo(mark: number): void {
    this.#undo.backTo(mark)
  }

  committed(): void {
    this.#undo.forget()
  }

  #claim(work: ContentWork, content: number, now_ms: number, bytes = 0): void {
    // An upload may take hours; its sender lives in this process and always gives the claim back, so it never runs out under it.
    const until_ms = work === 'send' ? Number.POSITIVE_INFINITY : now_ms + this.#parts.limits.claim_ms
    this.#claimed[work].claim(content, until_ms, bytes)
  }

  #due(
    work: ContentWork,
    limit: number,
    except: readonly string[],
    now_ms: number,
    select: ReturnType<Sqlite['prepare']>,
    up_to = Number.MAX_SAFE_INTEGER,
  ): ContentRow[] {
    const claimed = this.#claimed[work]
    claimed.expire(now_ms)
    const due = { now: now_ms, limit: limit + claimed.size, except: JSON.stringify(except), up_to }
    const free = (select.all(due) as number[]).filter((id) => !claimed.has(id)).slice(0, limit)
    return free.map((id) => this.#parts.contents.rows.get(id)!)
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
    const rows = (this.#queries.sources.all(row.id) as Parameters<typeof fileRow>[0][]).map(fileRow)
    if (rows.length > 0) return rows.map((file) => this.#source(file))
    const is_orphan = this.#parts.contents.apply({ type: 'content_orphaned', content: row.id }, now_ms)
    if (!is_orphan) this.#out_of_reach.deferContent(row.id, now_ms)
    return undefined
  }

  #source({ folder: id, path, stat }: FileRow): SourcePath {
    const folder = this.#parts.folders.withId(id)!
    return { folder: folder.name, root: folder.root, path, stat }
  }

  #nextDue(work: ContentWork, now_ms: number): number | undefined {
    return (this.#queries.next_due[work].get(now_ms) as number | null) ?? undefined
  }

  /** For people: the folder and path of one of the files that hold the content. */
  #nameOf(row: ContentRow): string {
    const file = this.#queries.a_path.get(row.id) as { folder: number; path: string } | undefined
    return file ? `${this.#parts.folders.withId(file.folder)?.name}/${file.path}` : `content ${row.id}`
  }

  #projectOf(row: ContentRow): string {
    return this.#parts.folders.projectId(row.project)
  }
}
