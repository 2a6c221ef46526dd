import { isSluiceError, SluiceError, toPlainError } from '../../base/run/errors.ts'
import { listOf } from '../../base/run/group.ts'
import { backoff_ms, type Clock, minute_ms, second_ms } from '../../base/time/time.ts'
import { hasNothingToRead, isUnusable, isUsable } from '../../domain/asset.ts'
import { amountRead, type Reading, readingText } from '../../domain/reading.ts'
import type { AttachedLabel, ComparedAsset } from '../../ledger/views/view-comparison.ts'
import { type AssetRecord, assetIdOf } from '../../remote/assets.ts'
import { judgeFailure } from '../../remote/judge-failure.ts'
import { walkList } from '../../remote/list-place.ts'
import { type Failure, failureText, type Outcome } from '../../remote/outcome.ts'
import type { Difference, VerifyTools } from './verify-answer.ts'

const max_rows_at_once = 500
const max_reads_at_once = 4
/** Ids of unknown assets that are reported; all of them are counted. */
const max_unknown_ids = 1_000

/**
 * Reads the service's list of one project. Ready contents that the list does not show as ready are
 * then asked for singly: only that answer counts. `folders` limits the comparison to their files.
 * Never throws for faults of the service.
 */
export async function compareProject(
  project_id: string,
  folders: readonly string[] | undefined,
  tools: VerifyTools,
) {
  const comparer = new ProjectComparer(project_id, folders, tools)
  const fault = await comparer.run().catch((error: unknown) => {
    if (!isSluiceError(error)) throw error
    return toPlainError(error)
  })
  return {
    project_id,
    ...comparer.counts,
    /** Why the service could not be asked to the end; null if it was. */
    fault: fault ? { ...fault, hint: fault.hint ?? null } : null,
  }
}

class ProjectComparer {
  readonly #project_id: string
  readonly #folders: readonly string[] | undefined
  readonly #tools: VerifyTools
  /** One bit for each content that the service lists as ready. */
  #seen = new Uint8Array(0)
  readonly #unknown: string[] = []
  /** Reports from the list, which may begin anew. */
  readonly #reported = new Set<string>()
  readonly counts = {
    /** Ready here. */
    expected: 0,
    /** Ready here, and there. */
    usable: 0,
    /** Assets without an answer of the service. */
    unanswered: 0,
    /** Ready there, unknown here. */
    unknown: 0,
  }

  constructor(project_id: string, folders: readonly string[] | undefined, tools: VerifyTools) {
    this.#project_id = project_id
    this.#folders = folders
    this.#tools = tools
  }

  async run(): Promise<void> {
    await this.#list()
    for (const asset_id of this.#unknown) {
      this.#tools.onDifference({
        kind: 'unknown_on_service',
        asset_id,
        message: 'ready there, and not of this ledger',
      })
    }
    await this.#compare()
  }

  async #list(): Promise<void> {
    const readPage = (after_id: string | undefined) => this.#page(after_id)
    for await (const page of walkList(readPage, assetIdOf, Number.POSITIVE_INFINITY)) {
      if (!page.ok) throw unlisted(failureText(page.failure))
      const { items, after_id, is_anew } = page.value
      if (is_anew) this.#beginAnew()
      await this.#see(await this.#withStatus(items), after_id)
    }
  }

  /** The items of the list come again. Marks and reports stay, because they count once. */
  #beginAnew(): void {
    this.#unknown.length = 0
    this.counts.unknown = 0
  }

  #page(after_id: string | undefined) {
    const { remote } = this.#tools
    return ask(() => remote.listAssets(this.#project_id, { after_id }), this.#tools)
  }

  /** Reads singly what the list shows without a status. An item without an answer stays so. */
  #withStatus(items: readonly AssetRecord[]): Promise<AssetRecord[]> {
    return this.#someAtOnce(items, async (item) => {
      if (item.raw_status !== '') return item
      const outcome = await this.#readAsset(item.asset_id)
      return outcome.ok ? { ...item, ...outcome.value } : item
    })
  }

  #readAsset(asset_id: string): Promise<Outcome<AssetRecord>> {
    return ask(() => this.#tools.remote.readAsset(this.#project_id, asset_id), this.#tools)
  }

  async #someAtOnce<Item, Answer>(
    items: readonly Item[],
    act: (item: Item) => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let from = 0; from < items.length; from += max_reads_at_once) {
      if (this.#tools.signal.aborted) throw stopped()
      answers.push(...(await Promise.all(items.slice(from, from + max_reads_at_once).map(act))))
    }
    return answers
  }

  /** `after_id` is the start of the page. */
  async #see(items: readonly AssetRecord[], after_id: string | undefined): Promise<void> {
    const { comparison, onAsset } = this.#tools
    const ready = items.filter(isUsable)
    onAsset(items.length)
    if (ready.length === 0) return
    const known = new Map<string, ComparedAsset[]>()
    const ids = ready.map(({ asset_id }) => asset_id)
    for (const asset of comparison.assets(this.#project_id, ids))
      listOf(known, asset.asset_id).push(asset)
    for (const { asset_id, reading } of ready) {
      const assets = known.get(asset_id)
      if (assets === undefined) {
        this.counts.unknown += 1
        if (this.#unknown.length < max_unknown_ids) this.#unknown.push(asset_id)
      }
      for (const asset of assets ?? []) {
        if (asset.state === 'ready') {
          this.#mark(asset.content)
          this.#reportPart(asset, reading)
        } else if (isGivenUp(asset) && this.#isAsked(asset)) {
          const message = `given up here (${asset.state}), ready there`
          this.#report({ kind: 'returned_on_service', ...placeOf(asset), message })
        }
      }
    }
    await this.#compareLabels(ready, known, after_id)
  }

  #reportPart(asset: ComparedAsset, reading: Reading | undefined): void {
    if (amountRead(reading) !== 'in_part' || !this.#isAsked(asset)) return
    this.#report({ kind: 'read_in_part', ...placeOf(asset), message: readingText(reading)! })
  }

  /** Reads the page again before it reports: a label may have been attached meanwhile. */
  async #compareLabels(
    records: readonly AssetRecord[],
    known: ReadonlyMap<string, readonly ComparedAsset[]>,
    after_id: string | undefined,
  ): Promise<void> {
    if (this.#missingLabels(records, known).length === 0) return
    const again = await this.#page(after_id)
    // The next comparison reports assets that moved to another page.
    if (!again.ok) return
    for (const { asset, label } of this.#missingLabels(again.value.items, known))
      this.#report(labelMissing(asset, label))
  }

  #report(difference: Difference): void {
    const key = JSON.stringify(difference)
    if (!this.#reported.has(key)) this.#tools.onDifference(difference)
    this.#reported.add(key)
  }

  #missingLabels(
    records: readonly AssetRecord[],
    known: ReadonlyMap<string, readonly ComparedAsset[]>,
  ): { asset: ComparedAsset; label: AttachedLabel }[] {
    const carried = new Map<number, { asset: ComparedAsset; ids: ReadonlySet<string> }>()
    for (const { asset_id, labels } of records) {
      // Not every answer lists labels.
      if (labels === undefined) continue
      const ids = new Set(labels.map(({ label_id }) => label_id))
      for (const asset of known.get(asset_id) ?? []) {
        if (asset.state === 'ready' && this.#isAsked(asset))
          carried.set(asset.content, { asset, ids })
      }
    }
    if (carried.size === 0) return []
    return this.#tools.comparison.labels([...carried.keys()]).flatMap((label) => {
      const { asset, ids } = carried.get(label.content)!
      return ids.has(label.label_id) ? [] : [{ asset, label }]
    })
  }

  /** With named folders, only contents of their files are compared. */
  #isAsked({ folder }: ComparedAsset): boolean {
    return this.#folders === undefined || (folder !== undefined && this.#folders.includes(folder))
  }

  /**
   * Compares all contents that are ready now. Those that became ready after the list are asked
   * singly.
   */
  async #compare(): Promise<void> {
    const { comparison } = this.#tools
    for (let after = 0; ; ) {
      const query = {
        project_id: this.#project_id,
        folders: this.#folders,
        after,
        limit: max_rows_at_once,
      }
      const page = comparison.ready(query)
      const unseen = page.filter(({ content }) => !this.#isMarked(content))
      this.counts.expected += page.length - unseen.length
      this.counts.usable += page.length - unseen.length
      await this.#someAtOnce(unseen, (asset) => this.#read(asset))
      if (page.length < max_rows_at_once) return
      after = page.at(-1)!.content
    }
  }

  async #read(asset: ComparedAsset): Promise<void> {
    const { comparison, onDifference } = this.#tools
    const outcome = await this.#readAsset(asset.asset_id)
    // The daemon may have recorded this meanwhile, or uploaded the file again.
    const now = comparison.asset(asset.content)
    if (now?.state !== 'ready' || now.asset_id !== asset.asset_id) return
    this.counts.expected += 1
    const found = foundIn(outcome)
    if (found === 'ready') {
      this.counts.usable += 1
      if (outcome.ok) this.#reportPart(asset, outcome.value.reading)
    } else if (found === undefined) this.counts.unanswered += 1
    else onDifference({ ...placeOf(asset), ...found })
  }

  #mark(content: number): void {
    const at = content >> 3
    if (at >= this.#seen.length) {
      const larger = new Uint8Array(
        Math.max(at + 1, (this.#tools.comparison.newestContent() >> 3) + 1),
      )
      larger.set(this.#seen)
      this.#seen = larger
    }
    this.#seen[at]! |= 1 << (content & 7)
  }

  #isMarked(content: number): boolean {
    return ((this.#seen[content >> 3] ?? 0) & (1 << (content & 7))) !== 0
  }
}

/** Undefined without an answer of the service. */
function foundIn(
  outcome: Outcome<AssetRecord>,
): 'ready' | Pick<Difference, 'kind' | 'message' | 'status'> | undefined {
  if (!outcome.ok) {
    if (outcome.failure.about !== 'asset_gone') return undefined
    return {
      kind: 'missing_on_service',
      message: 'ready here; the service has no such asset any more',
    }
  }
  const { status, raw_status } = outcome.value
  if (isUsable(outcome.value)) return 'ready'
  if (status === 'failed' || hasNothingToRead(outcome.value)) {
    const why = status === 'failed' ? `status ${raw_status}` : readingText(outcome.value.reading)
    const message = `ready here; the service cannot use it (${why})`
    return { kind: 'failed_on_service', status, message }
  }
  const what =
    status === 'uploaded' ? 'has a slot without its bytes' : `is reading it (status ${raw_status})`
  return { kind: 'not_ready_on_service', status, message: `ready here; the service ${what}` }
}

function unlisted(message: string): SluiceError {
  const hint = 'nothing was called missing; run it again'
  return new SluiceError({
    code: 'answer.list',
    message: `the list of assets could not be read to its end: ${message}`,
    hint,
  })
}

function isGivenUp({ state, error_code }: ComparedAsset): boolean {
  return state === 'removed_on_service' || (state === 'refused' && isUnusable(error_code))
}

function labelMissing(asset: ComparedAsset, { name }: AttachedLabel): Difference {
  return {
    kind: 'label_missing',
    ...placeOf(asset),
    label: name,
    message: `the label ${name} is not there any more`,
  }
}

function placeOf({
  folder,
  path,
  asset_id,
  content,
}: ComparedAsset): Omit<Difference, 'kind' | 'message'> {
  return {
    ...(folder === undefined || path === undefined ? {} : { folder, path }),
    asset_id,
    content,
  }
}

/** A user waits at a terminal, so after a longer pause or more tries the project gets a `fault`. */
const max_tries = 5
const max_wait_ms = minute_ms
const retry = { first_ms: second_ms, max_ms: 15 * second_ms }

/**
 * Calls until there is an answer, or none can be expected. Failures of a single asset are returned.
 * Errors: `account.refused`, `project.refused`, `answer.refused`, `answer.unreachable`,
 * `answer.stopped`.
 */
async function ask<Value>(
  call: () => Promise<Outcome<Value>>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Outcome<Value>> {
  for (let tried = 0; ; tried += 1) {
    if (signal.aborted) throw stopped()
    const outcome = await call()
    if (outcome.ok) return outcome
    const { failure } = outcome
    const is_passing = failure.about === 'network' || failure.about === 'later'
    if (judgeFailure(failure, {}).blame === 'none' && !is_passing) return outcome
    const wait_ms = failure.retry_after_ms ?? backoff_ms(tried, retry)
    if (!is_passing || tried + 1 >= max_tries || wait_ms > max_wait_ms) throw faultOf(failure)
    await clock.sleep(wait_ms, signal)
  }
}

function stopped(): SluiceError {
  return new SluiceError({
    code: 'answer.stopped',
    message: 'stopped before everything was compared',
  })
}

function faultOf(failure: Failure): SluiceError {
  const message = failureText(failure)
  const { blame } = judgeFailure(failure, {})
  if (blame === 'token') {
    const hint = '`sluice doctor` says where the token comes from; nothing was called missing'
    return new SluiceError({ code: 'account.refused', message, hint })
  }
  if (blame === 'uploads') {
    const hint = 'ask the operator of the service; nothing was called missing'
    return new SluiceError({ code: 'answer.refused', message, hint })
  }
  if (blame === 'project') {
    const hint = 'check the project_id, and that the token reaches it; nothing was called missing'
    return new SluiceError({ code: 'project.refused', message, hint })
  }
  const hint =
    'nothing was called missing; run it again when the service answers (`sluice doctor` tries each step)'
  return new SluiceError({ code: 'answer.unreachable', message, hint })
}
