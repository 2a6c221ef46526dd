import type { Clock } from '../base/time.ts'
import { hour_ms } from '../base/time.ts'
import type { Examiner, Look } from '../disk/examiner.ts'
import type { IgnoreRules } from '../disk/ignore.ts'
import { type RootStatus, wordOn } from '../disk/mount.ts'
import type { RootAsker } from '../disk/root-asker.ts'
import { rootChange } from '../disk/root-trust.ts'
import { type DisappearanceLimits, hasVanished, isBeyondWord, knownBefore } from '../domain/disappearance.ts'
import type { FileFact } from '../domain/fact.ts'
import { type FileStat, type FileState, type KnownFile, large_bytes, sameStat } from '../domain/file.ts'
import type { FolderState, Ledger } from '../ledger/ledger.ts'
import type { FactGroup } from './fact-group.ts'
import type { FolderSettings } from './folder-settings.ts'
import { createFoundFiles, type FoundFiles, hashRule } from './found-files.ts'
import { hashFact, isShut, isStranger, type ToHash, unreadableFact } from './look-fact.ts'
import { LargeLooks } from './look-lane.ts'
import { createLookTurns } from './look-turns.ts'
import { lookVerdict } from './look-verdict.ts'
import type { SyncReport } from './report.ts'

/**
 * Looks at paths and tells the ledger what is there: the one way in for watch events, scans and due looks. A path is looked at
 * by one caller at a time (look-turns.ts).
 */
export interface Intake {
  /**
   * Resolves when what was seen is recorded. Answers `doubtful` when the folder itself must be checked before any file counts as
   * gone. A large file is not hashed, which would hold up the others: it is recorded as due, for `lookAtLarge`.
   */
  lookAt(folder: string, paths: readonly string[], scanned?: Scanned): Promise<'recorded' | 'doubtful'>
  /** As `lookAt`, for one file of any size; who wants another look at it meanwhile does not wait, it is made in the end. */
  lookAtLarge(folder: string, path: string): Promise<'recorded' | 'doubtful'>
  /** Takes in what a scan looked at and read on its way. */
  beginScan(folder: FolderSettings): Promise<FoundFiles>
  inFlight(): number
}

/** What a scan hands on with the paths that it found. */
interface Scanned {
  /** What it saw of them a moment ago. A path that nobody knows needs no other look: hashing finds out whether that still holds. */
  stats: ReadonlyMap<string, FileStat>
  /** Gathers what many rounds tell. */
  facts: Pick<FactGroup, 'record'>
  /** It went through the whole folder: how much is missing was counted, and is not too much to be believed. */
  is_whole: boolean
}

export interface IntakeFolder {
  settings: FolderSettings
  rules: IgnoreRules
}

export interface IntakeTools extends DisappearanceLimits {
  ledger: Ledger
  examiner: Examiner
  clock: Clock
  report: SyncReport
  /** Those in force; another object under a name means other settings. */
  folders: ReadonlyMap<string, IntakeFolder>
  roots: Pick<RootAsker, 'status'>
  /** How long a root may be silent. */
  answer_ms: number
}

/** Small enough that a group of big files does not hold the others up, large enough to keep two hashing threads busy. */
const looks_at_once = 500
/** A server's clock may be off by minutes; only a file untouched for an hour is taken as quiet at first sight on a share. */
const remote_clock_doubt_ms = hour_ms

function clockDoubt_ms(root: RootStatus): number {
  return root.kind === 'online' && root.remote ? remote_clock_doubt_ms : 0
}

/** `outdated`: the folder got other settings meanwhile; nothing was recorded, and who asked looks once more. */
type Answer = 'recorded' | 'doubtful' | 'outdated'

export function createIntake(tools: IntakeTools): Intake {
  const turns = createLookTurns()
  const large = new LargeLooks()

  function lookAtSome(folder: IntakeFolder, wanted: readonly string[], how: HowToLook): Promise<Answer> {
    const { name } = folder.settings
    const isLeft = (path: string) => how.hashes === 'small' && large.askAgain(name, path)
    const looks = { folder: name, paths: wanted, by_scan: how.scanned !== undefined, isLeft }
    const isInForce = () => tools.folders.get(name) === folder
    return turns.take(looks, (paths) => new LookRound(tools, folder, isInForce, how).run(paths))
  }

  return {
    async lookAt(name, paths, scanned) {
      let answer: 'recorded' | 'doubtful' = 'recorded'
      for (let from = 0; from < paths.length; ) {
        const folder = tools.folders.get(name)
        if (!folder) return 'recorded'
        const some = [...new Set(paths.slice(from, from + looks_at_once))]
        const looked = await lookAtSome(folder, some, { hashes: 'small', scanned })
        if (looked === 'outdated') continue
        if (looked === 'doubtful') answer = 'doubtful'
        from += looks_at_once
      }
      return answer
    },
    lookAtLarge(name, path) {
      return large.look(name, path, async () => {
        for (;;) {
          const folder = tools.folders.get(name)
          const looked = folder ? await lookAtSome(folder, [path], { hashes: 'all', scanned: undefined }) : 'recorded'
          if (looked !== 'outdated') return looked
        }
      })
    },
    async beginScan(folder) {
      const turn = turns.beginScan(folder.name)
      const root = await tools.roots.status(folder.path, tools.answer_ms)
      const isInForce = () => tools.folders.get(folder.name)?.settings === folder
      // Of the time before the walk: what changes meanwhile is younger.
      const rule = hashRule(folder, { now_ms: tools.clock.now_ms(), clock_doubt_ms: clockDoubt_ms(root) })
      return createFoundFiles({ folder: folder.name, turn, rule, isInForce })
    },
    inFlight: () => turns.inFlight(),
  }
}

interface HowToLook {
  hashes: 'small' | 'all'
  scanned: Scanned | undefined
}

interface Looked {
  path: string
  known: KnownFile | undefined
  look: Look
}

/** One round of looks in one folder: lstat, judge, hash what is quiet, record all of it at once. */
class LookRound {
  readonly #tools: IntakeTools
  readonly #folder: FolderSettings
  readonly #rules: IgnoreRules
  readonly #isInForce: () => boolean
  readonly #facts: FileFact[] = []
  readonly #known = new Map<string, KnownFile>()
  readonly #scanned: Scanned | undefined
  readonly #hashes: HowToLook['hashes']
  #state: FolderState | undefined

  constructor(tools: IntakeTools, folder: IntakeFolder, isInForce: () => boolean, how: HowToLook) {
    this.#tools = tools
    this.#scanned = how.scanned
    this.#hashes = how.hashes
    this.#isInForce = isInForce
    this.#folder = folder.settings
    this.#rules = folder.rules
  }

  async run(paths: readonly string[]): Promise<Answer> {
    const { ledger } = this.#tools
    const name = this.#folder.name
    this.#state = await ledger.folder(name)
    if (!this.#state?.online) return 'doubtful'
    // On a share that is dead it is the one call that comes back.
    const root = await this.#rootStatus()
    if (root.kind === 'offline' || rootChange(this.#state, root) !== 'none') return 'doubtful'
    const known = await ledger.filesAt(name, paths)
    for (const file of known) if (file) this.#known.set(file.path, file)
    const to_hash = await this.#judge(await this.#look(paths), clockDoubt_ms(root))
    await this.#hash(to_hash)
    const trusted = await this.#trustGone()
    if (!this.#isInForce()) return 'outdated'
    if (this.#facts.length > 0) await (this.#scanned?.facts ?? ledger).record(this.#facts, this.#isInForce)
    if (!this.#isInForce()) return 'outdated'
    this.#tell()
    return trusted ? 'recorded' : 'doubtful'
  }

  /** What is not known yet cannot have been seen by somebody else since the scan was there. */
  async #look(paths: readonly string[]): Promise<Looked[]> {
    const seen = (path: string) => (this.#known.has(path) ? undefined : this.#scanned?.stats.get(path))
    const unseen = paths.filter((path) => seen(path) === undefined)
    const looks = unseen.length === 0 ? [] : await this.#tools.examiner.lstat(this.#folder.path, unseen)
    let next = 0
    return paths.map((path) => {
      const stat = seen(path)
      const look: Look = stat ? { kind: 'file', stat } : looks[next++]!
      return { path, known: this.#known.get(path), look }
    })
  }

  async #judge(looked: readonly Looked[], clock_doubt_ms: number): Promise<ToHash[]> {
    const folder = this.#folder.name
    const to_hash: ToHash[] = []
    for (const { path, known, look } of looked) {
      const verdict = this.#rules.verdict(path, 'file')
      if (verdict.ignored && !(known && isShut(verdict, look))) {
        if (known) this.#facts.push({ type: 'file_ignored', folder, path })
        continue
      }
      if (isStranger(look, known)) continue
      if (look.kind === 'unreadable') this.#facts.push(this.#unreadable(path, known, look.code))
      else if (look.kind !== 'file') {
        if (known && known.state !== 'gone') this.#facts.push({ type: 'file_gone', folder, path })
      } else {
        const verdict = await this.#verdict(path, known, look.stat, clock_doubt_ms)
        if (verdict.kind === 'fact') this.#facts.push(verdict.fact)
        if (verdict.kind !== 'hash') continue
        if (this.#hashes === 'all' || look.stat.size < large_bytes) to_hash.push({ path, known, stat: look.stat })
        else this.#leaveToLooker(path, known, look.stat)
      }
    }
    return to_hash
  }

  async #verdict(path: string, known: KnownFile | undefined, stat: FileStat, clock_doubt_ms: number) {
    const state = this.#state!
    const is_new_here = known === undefined && this.#folder.start.kind !== 'all' && state.first_scan_ms !== undefined
    return lookVerdict({
      folder: this.#folder,
      path,
      known,
      stat,
      now_ms: this.#tools.clock.now_ms(),
      clock_doubt_ms,
      started_ms: state.started_ms,
      first_scan_done: state.first_scan_ms !== undefined,
      moved_from_before_start: is_new_here && (await this.#tools.ledger.wasBeforeStart(this.#folder.name, stat)),
    })
  }

  #rootStatus({ doubtful } = { doubtful: false }): Promise<RootStatus> {
    return this.#tools.roots.status(this.#folder.path, this.#tools.answer_ms, { doubtful })
  }

  async #hash(entries: ToHash[]): Promise<void> {
    if (entries.length === 0) return
    const outcomes = await this.#tools.examiner.fingerprint(this.#folder.path, entries)
    for (const [index, entry] of entries.entries()) {
      this.#facts.push(hashFact(this.#folder, entry, outcomes[index]!, this.#tools.clock.now_ms()))
    }
  }

  /** In the ledger it is due at once: whoever ends before it is hashed has forgotten nothing. */
  #leaveToLooker(path: string, known: KnownFile | undefined, stat: FileStat): void {
    const of = { folder: this.#folder.name, path, stat, not_before_ms: this.#tools.clock.now_ms() }
    const is_waiting = (known?.state === 'seen' || known?.state === 'blocked') && known.not_before_ms !== undefined
    if (!is_waiting || !sameStat(known.stat, stat)) this.#facts.push({ type: 'file_seen', ...of })
    else if (known.not_before_ms! <= of.not_before_ms) return
    else if (known.reason !== 'unreadable') this.#facts.push({ type: 'file_seen', ...of })
    // It may be readable by now, and was told of where it is not.
    else this.#facts.push({ type: 'file_blocked', ...of, reason: 'unreadable', detail: known.detail ?? '' })
  }

  #unreadable(path: string, known: KnownFile | undefined, code: string): FileFact {
    return unreadableFact(this.#folder, { path, known, stat: undefined }, code, this.#tools.clock.now_ms())
  }

  /**
   * "Gone" is believed only of a folder that is there, on the same disk, and that lost not most of what it had. Where that is
   * in doubt the facts are dropped: the folder's keeper looks at the whole of it.
   */
  async #trustGone(): Promise<boolean> {
    const gone = this.#facts.filter((fact) => fact.type === 'file_gone').length
    if (gone === 0) return true
    const state = this.#state!
    const status = await this.#rootStatus({ doubtful: true })
    const is_here = status.kind === 'online' && state.device !== undefined && rootChange(state, status) === 'none'
    const many = knownBefore(state) > this.#tools.empty_folder_files
    const is_empty = status.kind === 'online' && status.empty && many
    const is_doubted = is_empty || (!this.#scanned?.is_whole && this.#isMuch(gone, state))
    const word = wordOn(state, state.disappearance)
    const is_accepted = word && !isBeyondWord(word, is_empty ? 0 : state.known_files - gone, this.#tools)
    if (is_here && (is_accepted || !is_doubted)) return true
    const kept = this.#facts.filter((fact) => fact.type !== 'file_gone')
    this.#facts.length = 0
    this.#facts.push(...kept)
    return false
  }

  /** Event by event most of a folder may go: against what the last whole look found. What was renamed is told apart by the next. */
  #isMuch(gone: number, state: FolderState): boolean {
    const known = knownBefore(state)
    const files = state.known_files - gone
    return hasVanished({ known, missing: known - files, files }, this.#tools)
  }

  /** Only what is new: a file that stays as it was has been told of. */
  #tell(): void {
    for (const fact of this.#facts) {
      const name = `${fact.folder}/${fact.path}`
      const is_told = (state: FileState, reason: string, detail: string) => {
        const known = this.#known.get(fact.path)
        return known?.state === state && known.reason === reason && known.detail === detail
      }
      if (fact.type === 'file_blocked') {
        if (!is_told('blocked', fact.reason, fact.detail)) this.#tools.report.blocked(fact.detail, name)
      } else if (fact.type === 'file_skipped') {
        if (!is_told('skipped', fact.reason, fact.rule)) this.#tools.report.skipped(fact.reason, name)
      }
    }
  }
}
