import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { SluiceError } from '../../base/run/errors.ts'
import { realRoot } from '../root/inside.ts'
import { sharesBelow } from '../root/mounts.ts'
import { offline } from '../root/root.ts'
import {
  type EntryKind,
  entryKind,
  escapeName,
  isGone,
  kindOf,
  type NamedEntry,
  readDirectory,
  textOfName,
} from './directory-names.ts'
import { createWalkingRules, type DirectoryRules, type IgnoreSpec } from './ignore.ts'
import { accessOf, ignore_file_name, narrower_ignored, narrowerBecause } from './ignore-file.ts'
import { createBatchBuilder, type ListedBatch } from './scan-batch.ts'
import { createWalkReport, type ScanEnd } from './walk-report.ts'

export interface WalkOptions {
  root: string
  ignore: IgnoreSpec
  /** Only this directory, relative to the root; '' for all. A missing one has no files. */
  under: string
  batch_entries: number
}

/** `raw` has one character per byte (latin1), as in `NamedEntry`. */
interface Place {
  /** Ends in `/`; '' for the root. */
  readonly raw: string
  readonly text: string
}

interface Frame extends Place {
  readonly rules: DirectoryRules
  readonly entries: readonly NamedEntry[]
  next: number
  /** Directories before `next` that still wait for their turn, the innermost last. */
  readonly waiting: { name: string; text: string; narrower: boolean }[]
  /** It, or one above, is narrower than the root: those below are not reported again. */
  readonly narrower: boolean
}

/**
 * Lists files by synchronous calls, in byte order of the whole path; measure.ts checks them. A
 * directory sorts as if its name ended in `/`, as in the ledger's pages, so that both can be
 * merged. It follows no links, enters no other filesystem and reads no further than asked. It calls
 * `progressed` for every name: a batch may take hours if all is ignored. Error: `disk.offline`.
 */
export function* walk(
  options: WalkOptions,
  progressed = () => {},
): Generator<ListedBatch, ScanEnd> {
  const { root, under, batch_entries } = options
  const base = root.endsWith('/') ? root : `${root}/`
  const rules = createWalkingRules(root, options.ignore)
  const report = createWalkReport()
  const batch = createBatchBuilder(batch_entries)
  const stack: Frame[] = []
  const root_stat = statRoot(root)
  const shares = sharesBelow(realRoot(root))
  const root_access = accessOf(root_stat)
  const skips_narrower = options.ignore.widening === 'skip'

  function open(
    place: Place,
    here: DirectoryRules,
    entries: readonly NamedEntry[],
    narrower: boolean,
  ): void {
    if (here.closed === undefined) {
      report.directory()
      stack.push({ ...place, rules: here, entries, next: 0, waiting: [], narrower })
    } else report.ignored(here.closed)
  }

  function enter(text: string, raw: string, above: DirectoryRules, narrower: boolean): void {
    try {
      const entries = readDirectory(base + text)
      const has_ignore_file = entries.some(({ name }) => name === ignore_file_name)
      const here = rules.enter(above, text, has_ignore_file)
      open({ raw: `${raw}/`, text: `${text}/` }, here, entries, narrower)
    } catch (error) {
      if (!isGone(error)) report.unreadable(text, error)
    }
  }

  function enterRoot(): void {
    try {
      open({ raw: '', text: '' }, rules.top(), readDirectory(root), false)
    } catch (error) {
      throw offline(root, error)
    }
  }

  /** Goes down to `under` as a walk would: a link, another filesystem or a rule ends it. */
  function enterUnder(): void {
    let here = rules.top()
    let text = ''
    for (const name of under.split('/')) {
      if (text !== '') here = rules.enter(here, text, true)
      text = text === '' ? name : `${text}/${name}`
      if (passesShare(here, name, text)) return
      const stat = lstatEntry(base + text, text)
      if (stat === undefined || !mayEnter(here, name, text, entryKind(stat.mode), stat.dev)) return
      if (skips_narrower && isNarrower(text, stat)) {
        report.ignored(narrower_ignored)
        return
      }
    }
    enter(text, Buffer.from(text).toString('latin1'), here, false)
  }

  /** True for an entry that a rule ignores, which it reports. */
  function isIgnored(
    here: DirectoryRules,
    name: string,
    text: string,
    kind: 'file' | 'directory',
  ): boolean {
    const ignored = rules.judge(here, name, text, kind)
    if (ignored !== undefined) report.ignored(ignored)
    return ignored !== undefined
  }

  /** True for a directory to walk. Reports ignored and special entries, and other mounts. */
  function mayEnter(
    here: DirectoryRules,
    name: string,
    text: string,
    kind: EntryKind,
    device: bigint,
  ): boolean {
    if (isIgnored(here, name, text, kind === 'directory' ? 'directory' : 'file')) return false
    if (kind === 'directory' && device !== root_stat.dev) report.otherMount(text)
    else if (kind !== 'directory' && kind !== 'file') report.special(kind)
    else return kind === 'directory'
    return false
  }

  /** True for a share. Reports it as `mayEnter` would, but does not contact its server. */
  function passesShare(here: DirectoryRules, name: string, text: string): boolean {
    if (!shares.isPlace(text)) return false
    if (!isIgnored(here, name, text, 'directory')) report.otherMount(text)
    return true
  }

  function isNarrower(text: string, stat: BigIntStats): boolean {
    const why = narrowerBecause(accessOf(stat), root_access)
    if (why !== undefined) report.narrower(text, why)
    return why !== undefined
  }

  function take(frame: Frame, entry: NamedEntry): void {
    const { name: raw_name } = entry
    const name = textOfName(raw_name)
    if (name === undefined) {
      checkOddName(frame, raw_name)
      return
    }
    const text = frame.text + name
    const kind = kindOf(entry)
    if (kind === 'file') takeFile(frame, raw_name, name, text)
    else if (kind === 'directory' || kind === undefined) checkEntry(frame, raw_name, name, text)
    else mayEnter(frame.rules, name, text, kind, root_stat.dev)
  }

  function takeFile(frame: Frame, raw_name: string, name: string, text: string): void {
    if (!isIgnored(frame.rules, name, text, 'file')) batch.add(frame.raw + raw_name)
  }

  /** Stats a directory (which filesystem, who may read it) or an entry of unknown kind. */
  function checkEntry(frame: Frame, raw_name: string, name: string, text: string): void {
    if (passesShare(frame.rules, name, text)) return
    const stat = lstatEntry(base + text, text)
    if (stat === undefined) return
    const kind = entryKind(stat.mode)
    if (kind === 'file') {
      takeFile(frame, raw_name, name, text)
      return
    }
    if (!mayEnter(frame.rules, name, text, kind, stat.dev)) return
    const narrower = frame.narrower || isNarrower(text, stat)
    if (narrower && skips_narrower) report.ignored(narrower_ignored)
    else frame.waiting.push({ name: raw_name, text, narrower })
  }

  /** No ledger row or API call can hold this name: it is reported, not listed and not entered. */
  function checkOddName(frame: Frame, raw_name: string): void {
    const bytes = Buffer.from(raw_name, 'latin1')
    const escaped = frame.text + escapeName(raw_name)
    const stat = lstatEntry(Buffer.concat([Buffer.from(base + frame.text), bytes]), escaped)
    if (stat === undefined) return
    const kind = entryKind(stat.mode)
    const text = bytes.toString('utf8')
    if (
      isIgnored(frame.rules, text, frame.text + text, kind === 'directory' ? 'directory' : 'file')
    )
      return
    if (kind === 'file' || kind === 'directory')
      report.oddName(kind === 'file' ? escaped : `${escaped}/`)
    else report.special(kind)
  }

  /** undefined: gone by now, or reported as unreadable. */
  function lstatEntry(path: string | Buffer, text: string): BigIntStats | undefined {
    try {
      return lstatSync(path, { bigint: true, throwIfNoEntry: false })
    } catch (error) {
      if (!isGone(error)) report.unreadable(text, error)
      return undefined
    }
  }

  if (under === '') enterRoot()
  else enterUnder()
  while (stack.length > 0) {
    const frame = stack.at(-1)!
    const entry = frame.entries[frame.next]
    const waiting = frame.waiting.at(-1)
    if (waiting !== undefined && !sortsBeforeInsides(entry?.name, waiting.name)) {
      frame.waiting.pop()
      enter(waiting.text, frame.raw + waiting.name, frame.rules, waiting.narrower)
    } else if (entry === undefined) {
      stack.pop()
    } else {
      frame.next += 1
      progressed()
      take(frame, entry)
      if (batch.is_full) yield batch.take()
    }
  }
  if (batch.count > 0) yield batch.take()
  return report.end(isStill(root, root_stat))
}

/** True if `name` sorts before the contents of `directory`: its next byte is below `/`. */
function sortsBeforeInsides(name: string | undefined, directory: string): boolean {
  return name !== undefined && name.charCodeAt(directory.length) < 47 && name.startsWith(directory)
}

function statRoot(root: string): BigIntStats {
  try {
    const stat = statSync(root, { bigint: true })
    if (!stat.isDirectory()) throw offline(root, `${root} is not a directory`)
    return stat
  } catch (error) {
    throw error instanceof SluiceError ? error : offline(root, error)
  }
}

/** False if the root was unmounted, removed or replaced: then a missing file proves nothing. */
function isStill(root: string, before: BigIntStats): boolean {
  const after = statSync(root, { bigint: true, throwIfNoEntry: false })
  return after !== undefined && after.dev === before.dev && after.ino === before.ino
}
