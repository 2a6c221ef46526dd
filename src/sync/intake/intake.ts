import { type Clock, hour_ms } from '../../base/time/time.ts'
import type { Examiner, PathState } from '../../disk/read/examiner.ts'
import { type RootStatus, rootChange } from '../../disk/root/root.ts'
import type { RootAsker } from '../../disk/root/root-asker.ts'
import { type DisappearanceLimits, isNewcomer } from '../../domain/disappearance.ts'
import type { FileFact } from '../../domain/fact.ts'
import {
  type FileStat,
  type FileState,
  type KnownFile,
  large_bytes,
  sameStat,
} from '../../domain/file.ts'
import { mayBeMoved } from '../../domain/file-reasons.ts'
import { originalOf, placeholdersOf } from '../../domain/placeholder.ts'
import type { FolderState, Ledger } from '../../ledger/ledger.ts'
import { unlessRefused } from '../../ledger/refused-facts.ts'
import type { FolderSettings, IntakeFolder } from '../folder-settings.ts'
import type { SyncReport } from '../report.ts'
import { createCheckTurns, createLargeChecks } from './check-turns.ts'
import { createFoundFiles, type FactGroup, type FoundFiles } from './found-files.ts'
import { judgeDeletions } from './judge-deletions.ts'
import {
  hashFact,
  hashRule,
  isShut,
  isStranger,
  judgeFile,
  missingFact,
  type ToHash,
  unreadableFact,
} from './judge-file.ts'

export type Intake = ReturnType<typeof createIntake>

/** Data that a scan passes on with its paths. */
interface Scanned {
  /** Recent results of the scan. Hashing compares the stat again, so they need no second check. */
  stats: ReadonlyMap<string, FileStat>
  /** Collects the facts of many rounds. */
  facts: Pick<FactGroup, 'record'>
  /** True for a full scan: it has judged the number of missing files already. */
  is_whole: boolean
}

export interface IntakeTools extends DisappearanceLimits {
  ledger: Ledger
  examiner: Examiner
  clock: Clock
  report: SyncReport
  /** The folders in force. A new object under a name means new settings. */
  folders: ReadonlyMap<string, IntakeFolder>
  roots: Pick<RootAsker, 'status'>
  /** Maximum time for the root's answer. */
  answer_ms: number
}

/** A larger round delays others behind big files; a smaller one leaves a thread idle. */
const paths_at_once = 500
/** A server's clock may be minutes off: on a share only a file an hour old is quiet at once. */
const remote_clock_doubt_ms = hour_ms

function clockDoubt_ms(root: RootStatus): number {
  return root.kind === 'online' && root.remote ? remote_clock_doubt_ms : 0
}

/** `outdated`: the settings changed during the check, and the caller checks again. */
type Answer = 'recorded' | 'doubtful' | 'outdated'

/** The only entry for watch events, scans and due checks. One caller at a time checks a path. */
export function createIntake(tools: IntakeTools) {
  const turns = createCheckTurns()
  const large = createLargeChecks()

  /** Repeats the check until its settings are still in force at its end. */
  async function checkSome(
    name: string,
    wanted: readonly string[],
    how: HowToCheck,
  ): Promise<'recorded' | 'doubtful'> {
    const isLeft = (path: string) => how.hashes === 'small' && large.askAgain(name, path)
    const checks = { folder: name, paths: wanted, by_scan: how.scanned !== undefined, isLeft }
    for (;;) {
      const folder = tools.folders.get(name)
      if (!folder) return 'recorded'
      const isInForce = () => tools.folders.get(name) === folder
      const answer = await turns.take(checks, (paths) =>
        checkOnce(paths, folder, { ...tools, ...how, isInForce }),
      )
      if (answer !== 'outdated') return answer
    }
  }

  return {
    /**
     * Resolves when the results are recorded. Returns `doubtful` if the folder itself must be
     * checked before any file counts as deleted. Large files would delay others: they are recorded
     * as due, for `checkLarge`.
     */
    async checkPaths(
      name: string,
      paths: readonly string[],
      scanned?: Scanned,
    ): Promise<'recorded' | 'doubtful'> {
      let answer: 'recorded' | 'doubtful' = 'recorded'
      for (let from = 0; from < paths.length; from += paths_at_once) {
        // A file may have gone a moment before its placeholder came.
        const both = paths
          .slice(from, from + paths_at_once)
          .flatMap((path) => [path, originalOf(path) ?? path])
        const some = [...new Set(both)]
        if ((await checkSome(name, some, { hashes: 'small', scanned })) === 'doubtful')
          answer = 'doubtful'
      }
      return answer
    },
    /** For one file of any size. A second caller does not wait: the file is checked once more. */
    checkLarge(name: string, path: string): Promise<'recorded' | 'doubtful'> {
      return large.check(name, path, () =>
        checkSome(name, [path], { hashes: 'all', scanned: undefined }),
      )
    },
    /** Begins a full scan. Returns what records the files that the walk hashes. */
    async beginScan(folder: FolderSettings): Promise<FoundFiles> {
      const turn = turns.beginScan(folder.name)
      const root = await tools.roots.status(folder.path, tools.answer_ms)
      const isInForce = () => tools.folders.get(folder.name)?.settings === folder
      // The rule's time is that before the walk, so a file that changes meanwhile is younger.
      const rule = hashRule(folder, {
        now_ms: tools.clock.now_ms(),
        clock_doubt_ms: clockDoubt_ms(root),
      })
      return createFoundFiles({ folder: folder.name, turn, rule, isInForce })
    },
    inFlight: () => turns.inFlight(),
  }
}

interface HowToCheck {
  hashes: 'small' | 'all'
  scanned: Scanned | undefined
}

/** One round of checks in one folder: lstat, judge, hash quiet files, and record it all. */
async function checkOnce(
  paths: readonly string[],
  { settings: folder, rules }: IntakeFolder,
  tools: IntakeTools & HowToCheck & { isInForce: () => boolean },
): Promise<Answer> {
  const { ledger, examiner, clock, report, hashes, scanned, isInForce } = tools
  const { name } = folder
  const state = await ledger.folder(name)
  if (!state?.online) return 'doubtful'
  // On an unresponsive mount only this call returns.
  const root = await rootStatus()
  if (root.kind === 'offline' || rootChange(state, root) !== 'none') return 'doubtful'
  const known_files = (await ledger.filesAt(name, paths)).filter((file) => file !== undefined)
  const known_by_path = new Map(known_files.map((file) => [file.path, file]))
  const seen_facts: FileFact[] = []
  const clock_doubt_ms = clockDoubt_ms(root)
  await hash(await judge())
  const { verdict, isHeld } = await deletions(state)
  const is_doubtful = verdict !== 'record'
  const facts = is_doubtful ? seen_facts.filter((fact) => !isHeld(fact)) : seen_facts
  if (!isInForce()) return 'outdated'
  if (facts.length > 0) await unlessRefused((scanned?.facts ?? ledger).record(facts, isInForce))
  if (!isInForce()) return 'outdated'
  reportNew(facts)
  return is_doubtful ? 'doubtful' : 'recorded'

  /** An unknown path was not checked since the scan saw it, so the scan's stat still counts. */
  async function lstatAll() {
    const seen = (path: string) => (known_by_path.has(path) ? undefined : scanned?.stats.get(path))
    const unseen = paths.filter((path) => seen(path) === undefined)
    const results = unseen.length === 0 ? [] : await examiner.lstat(folder.path, unseen)
    let next = 0
    return paths.map((path) => {
      const stat = seen(path)
      const path_state: PathState = stat ? { kind: 'file', stat } : results[next++]!
      return { path, known: known_by_path.get(path), path_state }
    })
  }

  /** The stat of a placeholder that stands for a missing file, if any does. */
  async function placeholderOf(path: string): Promise<FileStat | undefined> {
    const states = await examiner.lstat(folder.path, placeholdersOf(path))
    return states.find((state) => state.kind === 'file')?.stat
  }

  async function judge(): Promise<ToHash[]> {
    const to_hash: ToHash[] = []
    for (const { path, known, path_state } of await lstatAll()) {
      const verdict = rules.verdict(path, 'file')
      if (verdict.ignored && !(known && isShut(verdict, path_state))) {
        if (known) seen_facts.push({ type: 'file_ignored', folder: name, path })
        continue
      }
      if (isStranger(path_state, known)) continue
      if (path_state.kind === 'unreadable') {
        const file = { path, known, stat: undefined }
        seen_facts.push(unreadableFact(folder, file, path_state.code, clock.now_ms()))
      } else if (path_state.kind !== 'file') {
        const fact = known && missingFact(folder, known, await placeholderOf(path))
        if (fact) seen_facts.push(fact)
      } else {
        const verdict = await verdictOn(path, known, path_state.stat)
        if (verdict.kind === 'fact') seen_facts.push(verdict.fact)
        if (verdict.kind !== 'hash') continue
        if (hashes === 'all' || path_state.stat.size < large_bytes)
          to_hash.push({ path, known, stat: path_state.stat })
        else leaveToChecker(path, known, path_state.stat)
      }
    }
    return to_hash
  }

  async function verdictOn(path: string, known: KnownFile | undefined, stat: FileStat) {
    const { started_ms, first_scan_ms } = state!
    const history = { known, started_ms, first_scan_done: first_scan_ms !== undefined }
    const is_new_here = mayBeMoved(folder, stat, history)
    return judgeFile({
      folder,
      path,
      stat,
      ...history,
      now_ms: clock.now_ms(),
      clock_doubt_ms,
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

  /** Records the file as due at once, so that it is not forgotten if the process ends. */
  function leaveToChecker(path: string, known: KnownFile | undefined, stat: FileStat): void {
    const of = { folder: name, path, stat, not_before_ms: clock.now_ms() }
    const is_waiting =
      (known?.state === 'seen' || known?.state === 'blocked') && known.not_before_ms !== undefined
    if (!is_waiting || !sameStat(known.stat, stat)) seen_facts.push({ type: 'file_seen', ...of })
    else if (known.not_before_ms! <= of.not_before_ms) return
    else if (known.reason !== 'unreadable') seen_facts.push({ type: 'file_seen', ...of })
    // It may be readable now. The blocked state was reported before.
    else
      seen_facts.push({
        type: 'file_blocked',
        ...of,
        reason: 'unreadable',
        detail: known.detail ?? '',
      })
  }

  /** In an empty root, not even a newcomer may go unseen: nothing shows that this is the disk. */
  function showsLoss(path: string, { is_emptied }: { is_emptied: boolean }): boolean {
    const known = known_by_path.get(path)
    if (known?.is_evidence !== true) return false
    return is_emptied || !isNewcomer(known.arrived_ms, clock.now_ms())
  }

  /**
   * Judges the deletions that the check found. Unless it is `record`, the folder's keeper scans all
   * of it. `isHeld`: the deletions that must not be recorded now.
   */
  async function deletions(state: FolderState) {
    const gone = seen_facts.filter(({ type }) => type === 'file_gone')
    if (gone.length === 0) return { verdict: 'record', isHeld: () => false } as const
    const root = await rootStatus({ doubtful: true })
    const is_emptied = root.kind === 'online' && root.empty
    const isLoss = ({ path }: FileFact) => showsLoss(path, { is_emptied })
    const deleted = gone.filter(isLoss).length
    const by_full_scan = scanned?.is_whole === true
    const seen = { deleted, folder: state, root, by_full_scan, limits: tools }
    const verdict = judgeDeletions(seen)
    const isHeld = (fact: FileFact) =>
      fact.type === 'file_gone' && (verdict === 'scan_first' || isLoss(fact))
    return { verdict, isHeld }
  }

  /** Reports only what is new: a file that stays as it was has been reported. */
  function reportNew(facts: readonly FileFact[]): void {
    for (const fact of facts) {
      const place = `${fact.folder}/${fact.path}`
      const is_reported = (state: FileState, reason: string, detail: string) => {
        const known = known_by_path.get(fact.path)
        return known?.state === state && known.reason === reason && known.detail === detail
      }
      if (fact.type === 'file_blocked') {
        if (!is_reported('blocked', fact.reason, fact.detail)) report.blocked(fact.detail, place)
      } else if (fact.type === 'file_skipped') {
        if (!is_reported('skipped', fact.reason, fact.rule)) report.skipped(fact.reason, place)
      }
    }
  }
}
