import { formatCount } from '../../base/format.ts'
import { chooseWatcher, native_fault, type WatchChoice, type WatchShares } from '../../disk/choose-watcher.ts'
import { type InotifyLimit, raisedLimit } from '../../disk/inotify-limits.ts'
import { hasShareBelow } from '../../disk/shares-below.ts'
import { type Check, findings } from './check.ts'
import type { FolderLook } from './look-at-folder.ts'

/** What the kernel and the machine have for watching. */
export interface WatchMeans {
  watches: InotifyLimit
  instances: InotifyLimit
  free_memory_bytes: number
}

/** One for each program that watches; desktops have dozens. */
const least_instances = 16

/** What each folder is watched by, in the order in which the daemon takes them up, and whether that is what was wished for. */
export function checkWatching(looks: readonly FolderLook[], means: WatchMeans, shares: WatchShares): Check[] {
  const { watches, instances, free_memory_bytes } = means
  let taken = 0
  const checks = looks.flatMap(({ folder, root, seen, deaf }) => {
    if (root.kind !== 'online' || seen === undefined) return []
    const { files, directories } = seen
    const choice = chooseWatcher(
      {
        setting: folder.watch,
        filesystem: root.filesystem,
        remote: root.remote,
        share_below: !root.remote && hasShareBelow(folder.path),
        counted: { files, directories, is_least: seen.from === 'part of a walk' },
        inotify: { ...watches, taken },
        free_memory_bytes,
        native_fault,
        deaf,
      },
      shares,
    )
    taken += choice.watches
    return [checkChoice(folder.name, choice, folder.watch !== 'scan' && !root.remote)]
  })
  return [...checks, checkTaken(taken, watches), ...checkInstances(instances)]
}

function checkChoice(name: string, { watcher, reason }: WatchChoice, could_be_watched: boolean): Check {
  const { ok, warning } = findings('watching', name)
  const text = `${watcher}: ${reason}`
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
  return fault(`${text}: what is not watched is found by scans only`, sysctlLine(name, raisedLimit(value, taken)))
}

function checkInstances({ name, value }: InotifyLimit): Check[] {
  if (value >= least_instances) return []
  const { warning } = findings('inotify', name)
  return [warning(`it is ${value}, for all programs of this user together`, sysctlLine(name, 128))]
}

/** In force at once, and after a restart of the machine. */
function sysctlLine(name: string, value: number): string {
  return `echo ${name}=${value} | sudo tee -a /etc/sysctl.d/60-sluice.conf && sudo sysctl -w ${name}=${value}`
}
