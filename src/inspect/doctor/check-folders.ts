import { constants } from 'node:fs'
import { patienceWith } from '../../base/files/paths.ts'
import { systemWords } from '../../base/run/errors.ts'
import { counted, formatCount, formatDuration, shellWord } from '../../base/text/format.ts'
import type { FolderConfig } from '../../config/config.ts'
import { hasShareBelow } from '../../disk/root/mounts.ts'
import {
  chooseWatcher,
  native_fault,
  type WatchChoice,
  type WatchShares,
} from '../../disk/watch/choose-watcher.ts'
import { type InotifyLimit, raisedLimit } from '../../disk/watch/watch-trouble.ts'
import { adviceOnUnreadable, watchingText } from '../../domain/file.ts'
import { accessFault } from '../plan/check-path.ts'
import { closedParent } from '../unit/unit-facts.ts'
import { type Check, type DoctorLimits, findings, named } from './check.ts'
import type { InspectedFolder, Seen } from './inspect-folders.ts'

type OnlineRoot = Extract<InspectedFolder['root'], { kind: 'online' }>

const usual_who = 'this user'

/**
 * Checks for each folder whether it is online, its file system, whether this user may read all of
 * it, and which subfolders fewer users can read. `who` is the name of this user in the messages.
 */
export function checkFolders(
  inspected: readonly InspectedFolder[],
  limits: DoctorLimits,
  who = usual_who,
): Check[] {
  return inspected.flatMap((one) => {
    const presence = checkPresence(one, limits, who)
    if (one.root.kind !== 'online') return [presence]
    return [
      presence,
      checkFilesystem(one.folder, one.root),
      ...checkRights(one, who),
      ...checkWidening(one),
    ]
  })
}

function checkPresence(
  { folder, root, seen }: InspectedFolder,
  limits: DoctorLimits,
  who: string,
): Check {
  const { path } = folder
  const { ok, warning, fault } = findings('folder', folder.name)
  if (root.kind === 'unresponsive') {
    const hint =
      'is it a share whose server is offline? Check the mount (findmnt, dmesg); the daemon waits for it and serves the other folders'
    return fault(`${path}: no answer in ${formatDuration(patienceWith(path))}`, hint)
  }
  if (root.kind === 'offline' && root.reason === 'unreadable') {
    const closed = closedParent(path, (parent) => accessFault(parent, constants.X_OK) !== 'EACCES')
    const word = shellWord(closed ?? path)
    const user = userWord(who)
    return closed === undefined
      ? fault(
          `${path}: ${who} may not read it (${root.detail})`,
          `setfacl -R -m u:${user}:rX ${word}`,
        )
      : fault(
          `${path}: ${who} may not pass through ${closed}`,
          `setfacl -m u:${user}:x ${word}, or chmod o+x`,
        )
  }
  if (root.kind === 'offline') {
    const hint = 'check its path; until it exists or is mounted, the folder counts as offline'
    return warning(`${path} does not exist now`, hint)
  }
  if (root.empty)
    return warning(`${path} is empty`, 'if a disk or share belongs there, it is not mounted')
  if (seen === undefined) {
    const why = `no scan of it ended within ${formatDuration(limits.walk_ms)}`
    const text = `${path}: there, but ${why}: rights, widening and watching are not checked`
    return warning(
      text,
      'run `sluice doctor` again after the first scan of the daemon, which has no limit',
    )
  }
  return ok(`${path}: there, ${countText(seen)}`)
}

/** The user name for a setfacl command; `USER` if `who` is no name. */
function userWord(who: string): string {
  return who === usual_who ? 'USER' : shellWord(who)
}

function countText({ files, directories, from }: Seen): string {
  const count = counted(files, 'file')
  if (from === 'part of a walk') return `at least ${count}`
  return `${count} in ${counted(directories, 'folder')}`
}

function checkFilesystem(
  { name, watch, rescan_interval_ms }: FolderConfig,
  { filesystem, remote }: OnlineRoot,
): Check {
  const { ok, warning } = findings('filesystem', name)
  if (!remote) {
    const every = formatDuration(rescan_interval_ms)
    return ok(`${filesystem}${notes[filesystem] ?? ''}; a full scan at least every ${every}`)
  }
  const text = `${filesystem}: changes by other machines give no events here, so scans find them`
  if (watch === 'auto' || watch === 'scan') return ok(text)
  return warning(
    text,
    `watch: auto in the configuration scans it on a timer; now it is watch: ${watch}`,
  )
}

const notes: Record<string, string> = {
  overlay:
    ' (a container’s layer: what the host changes below it gives no event; mount the folder into the container instead)',
  tmpfs: ' (in memory: its files are gone after a restart of the machine)',
  ramfs: ' (in memory: its files are gone after a restart of the machine)',
}

function checkRights({ folder, seen }: InspectedFolder, who: string): Check[] {
  if (seen === undefined) return []
  const { ok, warning } = findings('rights', folder.name)
  if (seen.unreadable_total === 0)
    return [ok(`${who} may open every directory of it${fromText(seen)}`)]
  const entries = seen.unreadable.map(({ path, code }) => `${path} (${systemWords(code)})`)
  const text = `${formatCount(seen.unreadable_total)} that ${who} cannot read (${adviceOnUnreadable(seen.unreadable.map(({ code }) => code))})${fromText(seen)}: ${named(entries, seen.unreadable_total)}`
  const hint = `setfacl -R -m u:${userWord(who)}:rX ${shellWord(folder.path)} gives the right; an exclude leaves them out on purpose`
  return [warning(text, hint)]
}

function checkWidening({ folder, seen }: InspectedFolder): Check[] {
  if (seen === undefined) return []
  const { ok, warning } = findings('widening', folder.name)
  const total = seen.narrower_total
  if (total === 0)
    return [ok(`no subfolder is narrower than it by mode, owner and group${fromText(seen)}`)]
  const entries = seen.narrower.map(({ path, why }) => `${path} (${why})`)
  const what = total === 1 ? 'a subfolder' : `${formatCount(total)} subfolders`
  const text = `${what} that fewer people can read${fromText(seen)}: ${named(entries, total)}`
  if (folder.widening === 'skip') return [ok(`${text}; left out (widening: skip)`)]
  const hint =
    'everybody in the project sees their files; widening: skip leaves them all out, an exclude single ones'
  return [warning(text, hint)]
}

function fromText({ from }: Seen): string {
  if (from === 'last scan') return ', by its last scan'
  return from === 'walk' ? '' : ', as far as it was scanned'
}

/** Limits of the kernel and the machine for watching. */
interface WatchMeans {
  watches: InotifyLimit
  instances: InotifyLimit
  free_memory_bytes: number
}

/** Fewer inotify instances are a warning: each watching program takes one, desktops run dozens. */
const min_instances = 16

/**
 * Chooses a watcher for each folder as the daemon would, and in its order: earlier folders use up
 * inotify watches. Warns if a folder that could be watched would only be scanned.
 */
export function checkWatching(
  inspected: readonly InspectedFolder[],
  means: WatchMeans,
  shares: WatchShares,
): Check[] {
  const { watches, instances, free_memory_bytes } = means
  let taken = 0
  const checks = inspected.flatMap(({ folder, root, seen, given_up }) => {
    if (root.kind !== 'online' || seen === undefined) return []
    const { files, directories } = seen
    const choice = chooseWatcher(
      {
        setting: folder.watch,
        filesystem: root.filesystem,
        remote: root.remote,
        share_below: !root.remote && hasShareBelow(folder.path),
        counted: { files, directories, is_lower_bound: seen.from === 'part of a walk' },
        inotify: { ...watches, taken },
        free_memory_bytes,
        native_fault,
        given_up,
      },
      shares,
    )
    taken += choice.watches
    return [checkChoice(folder.name, choice, folder.watch !== 'scan' && !root.remote)]
  })
  return [...checks, checkTaken(taken, watches), ...checkInstances(instances)]
}

function checkChoice(
  name: string,
  { watcher, reason }: WatchChoice,
  could_be_watched: boolean,
): Check {
  const { ok, warning } = findings('watching', name)
  const text = watchingText({ watcher, reason })
  if (watcher !== 'scan' || !could_be_watched) return ok(text)
  return warning(text, 'it is scanned on a timer, which finds the same later (section watching)')
}

function checkTaken(taken: number, { name, value }: InotifyLimit): Check {
  if (value === Number.POSITIVE_INFINITY) {
    return findings('inotify', 'inotify').ok('this system has no limit that can be read')
  }
  const { ok, fault } = findings('inotify', name)
  const text = `the folders take ${formatCount(taken)} watches, ${name} is ${formatCount(value)}`
  if (taken <= value) return ok(text)
  return fault(
    `${text}: what is not watched is found by scans only`,
    sysctlLine(name, raisedLimit(value, taken)),
  )
}

function checkInstances({ name, value }: InotifyLimit): Check[] {
  if (value >= min_instances) return []
  const { warning } = findings('inotify', name)
  return [warning(`it is ${value}, for all programs of this user together`, sysctlLine(name, 128))]
}

/** A command that changes a limit now and after a restart of the machine. */
function sysctlLine(name: string, value: number): string {
  return `echo ${name}=${value} | sudo tee -a /etc/sysctl.d/60-sluice.conf && sudo sysctl -w ${name}=${value}`
}
