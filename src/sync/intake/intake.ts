import { type Clock, hour_ms } from '../../base/time/time.ts'
import type { Examiner, Look } from '../../disk/read/examiner.ts'
import type { RootStatus } from '../../disk/root/mount.ts'
import type { RootAsker } from '../../disk/root/root-asker.ts'
import { rootChange } from '../../disk/root/root-trust.ts'
import type { IgnoreRules } from '../../disk/scan/ignore.ts'
import type { DisappearanceLimits } from '../../domain/disappearance.ts'
import type { FileFact } from '../../domain/fact.ts'
import { type FileStat, type FileState, type KnownFile, large_bytes, sameStat } from '../../domain/file.ts'
import type { FolderState, Ledger } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import type { SyncReport } from '../report.ts'
import { createFoundFiles, type FactGroup, type FoundFiles } from './found-files.ts'
import { judgeDeletions } from './judge-deletions.ts'
import { createLargeLooks } from './large-looks.ts'
import { createLookTurns } from './look-turns.ts'
import { hashFact, isShut, isStranger, lookVerdict, type ToHash, unreadableFact } from './look-verdict.ts'
import { hashRule } from './settle.ts'

export type Intake = ReturnType<typeof createIntake>

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

/**
 * Looks at paths and tells the ledger what is there: the one way in for watch events, scans and due
 * looks. A path is looked at by one caller at a time (look-turns.ts).
 */
export function createIntake(tools: IntakeTools) {
  const turns = createLookTurns()
  const large = createLargeLooks()

  /** Looks until the settings that it began with are still in force at its end. */
  async function lookAtSome(name: string, wanted: readonly string[], how: HowToLook): Promise<'recorded' | 'doubtful'> {
    const isLeft = (path: string) => how.hashes === 'small' && large.askAgain(name, path)
    const looks = { folder: name, paths: wanted, by_scan: how.scanned !== undefined, isLeft }
    for (;;) {
      const folder = tools.folders.get(name)
      if (!folder) return 'recorded'
      const isInForce = () => tools.folders.get(name) === folder
      const looked = await turns.take(looks, (paths) => lookOnce(paths, folder, { ...tools, ...how, isInForce }))
      if (looked !== 'outdated') return looked
    }
  }

  return {
    /**
     * Resolves when what was seen is recorded. Answers `doubtful` when the folder itself must be
     * checked before any file counts as gone. A large file is not hashed, which would hold up the
     * others: it is recorded as due, for `lookAtLarge`.
     */
    async lookAt(name: string, paths: readonly string[], scanned?: Scanned): Promise<'recorded' | 'doubtful'> {
      let answer: 'recorded' | 'doubtful' = 'recorded'
      for (let from = 0; from < paths.length; from += looks_at_once) {
        const some = [...new Set(paths.slice(from, from + looks_at_once))]
        if ((await lookAtSome(name, some, { hashes: 'small', scanned })) === 'doubtful') answer = 'doubtful'
      }
      return answer
    },
    /**
     * As `lookAt`, for one file of any size; who wants another look at it meanwhile does not wait,
     * it is made in the end.
     */
    lookAtLarge(name: string, path: string): Promise<'recorded' | 'doubtful'> {
      return large.look(name, path, () => lookAtSome(name, [path], { hashes: 'all', scanned: undefined }))
    },
    /** Takes in what a scan looked at and read on its way. */
    async beginScan(folder: FolderSettings): Promise<FoundFiles> {
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

/** One round of looks in one folder: lstat, judge, hash what is quiet, record all of it at once. */
async function lookOnce(
  paths: readonly string[],
  { settings: folder, rules }: IntakeFolder,
  tools: IntakeTools & HowToLook & { isInForce: () => boolean },
): Promise<Answer> {
  const { ledger, examiner, clock, report, hashes, scanned, isInForce } = tools
  const { name } = folder
  const state = await ledger.folder(name)
  if (!state?.online) return 'doubtful'
  // On a share that is dead it is the one call that comes back.
  const root = await rootStatus()
  if (root.kind === 'offline' || rootChange(state, root) !== 'none') return 'doubtful'
  const known_files = (await ledger.filesAt(name, paths)).filter((file) => file !== undefined)
  const known_by_path = new Map(known_files.map((file) => [file.path, file]))
  const seen_facts: FileFact[] = []
  const clock_doubt_ms = clockDoubt_ms(root)
  await hash(await judge())
  const is_doubtful = await areDeletionsDoubtful(state)
  const facts = is_doubtful ? seen_facts.filter((fact) => fact.type !== 'file_gone') : seen_facts
  if (!isInForce()) return 'outdated'
  if (facts.length > 0) await (scanned?.facts ?? ledger).record(facts, isInForce)
  if (!isInForce()) return 'outdated'
  tell(facts)
  return is_doubtful ? 'doubtful' : 'recorded'

  /** What is not known yet cannot have been seen by somebody else since the scan was there. */
  async function lookAtAll() {
    const seen = (path: string) => (known_by_path.has(path) ? undefined : scanned?.stats.get(path))
    const unseen = paths.filter((path) => seen(path) === undefined)
    const looks = unseen.length === 0 ? [] : await examiner.lstat(folder.path, unseen)
    let next = 0
    return paths.map((path) => {
      const stat = seen(path)
      const look: Look = stat ? { kind: 'file', stat } : looks[next++]!
      return { path, known: known_by_path.get(path), look }
    })
  }

  async function judge(): Promise<ToHash[]> {
    const to_hash: ToHash[] = []
    for (const { path, known, look } of await lookAtAll()) {
      const verdict = rules.verdict(path, 'file')
      if (verdict.ignored && !(known && isShut(verdict, look))) {
        if (known) seen_facts.push({ type: 'file_ignored', folder: name, path })
        continue
      }
      if (isStranger(look, known)) continue
      if (look.kind === 'unreadable') {
        const file = { path, known, stat: undefined }
        seen_facts.push(unreadableFact(folder, file, look.code, clock.now_ms()))
      } else if (look.kind !== 'file') {
        if (known && known.state !== 'gone') seen_facts.push({ type: 'file_gone', folder: name, path })
      } else {
        const verdict = await verdictOn(path, known, look.stat)
        if (verdict.kind === 'fact') seen_facts.push(verdict.fact)
        if (verdict.kind !== 'hash') continue
        if (hashes === 'all' || look.stat.size < large_bytes) to_hash.push({ path, known, stat: look.stat })
        else leaveToLooker(path, known, look.stat)
      }
    }
    return to_hash
  }

  async function verdictOn(path: string, known: KnownFile | undefined, stat: FileStat) {
    const { started_ms, first_scan_ms } = state!
    const first_scan_done = first_scan_ms !== undefined
    const is_new_here = known === undefined && folder.start.kind !== 'all' && first_scan_done
    return lookVerdict({
      folder,
      path,
      known,
      stat,
      now_ms: clock.now_ms(),
      clock_doubt_ms,
      started_ms,
      first_scan_done,
      moved_from_before_start: is_new_here && (await ledger.wasBeforeStart(name, stat)),
    })
  }

  function rootStatus({ doubtful } = { doubtful: false }): Promise<RootStatus> {
    return tools.roots.status(folder.path, tools.answer_ms, { doubtful })
  }

  async function hash(entries: ToHash[]): Promise<void> {
    if (entries.length === 0) return
    const outcomes = await examiner.fingerprint(folder.path, entries)
    for (const [index, entry] of entries.entries()) {
      seen_facts.push(hashFact(folder, entry, outcomes[index]!, clock.now_ms()))
    }
  }

  /** In the ledger it is due at once: whoever ends before it is hashed has forgotten nothing. */
  function leaveToLooker(path: string, known: KnownFile | undefined, stat: FileStat): void {
    const of = { folder: name, path, stat, not_before_ms: clock.now_ms() }
    const is_waiting = (known?.state === 'seen' || known?.state === 'blocked') && known.not_before_ms !== undefined
    if (!is_waiting || !sameStat(known.stat, stat)) seen_facts.push({ type: 'file_seen', ...of })
    else if (known.not_before_ms! <= of.not_before_ms) return
    else if (known.reason !== 'unreadable') seen_facts.push({ type: 'file_seen', ...of })
    // It may be readable by now, and was told of where it is not.
    else seen_facts.push({ type: 'file_blocked', ...of, reason: 'unreadable', detail: known.detail ?? '' })
  }

  /** Then none of them is recorded, and the folder's keeper scans all of it. */
  async function areDeletionsDoubtful(state: FolderState): Promise<boolean> {
    const deleted = seen_facts.filter((fact) => fact.type === 'file_gone').length
    if (deleted === 0) return false
    const root = await rootStatus({ doubtful: true })
    const by_full_scan = scanned?.is_whole === true
    return judgeDeletions({ deleted, folder: state, root, by_full_scan, limits: tools }) === 'scan_first'
  }

  /** Only what is new: a file that stays as it was has been told of. */
  function tell(facts: readonly FileFact[]): void {
    for (const fact of facts) {
      const place = `${fact.folder}/${fact.path}`
      const is_told = (state: FileState, reason: string, detail: string) => {
        const known = known_by_path.get(fact.path)
        return known?.state === state && known.reason === reason && known.detail === detail
      }
      if (fact.type === 'file_blocked') {
        if (!is_told('blocked', fact.reason, fact.detail)) report.blocked(fact.detail, place)
      } else if (fact.type === 'file_skipped') {
        if (!is_told('skipped', fact.reason, fact.rule)) report.skipped(fact.reason, place)
      }
    }
  }
}
