import { formatCount } from '../../base/format.ts'
import { type InotifyLimit, raisedLimit } from '../../disk/inotify-limits.ts'
import { type Check, fault, ok, warning } from './check.ts'
import type { FolderLook } from './look-at-folder.ts'

/** Editors, synchronisers and desktops of the same user take some of the same limit. */
const comfortable_part = 0.75
/** One for each program that watches; desktops have dozens. */
const least_instances = 16

/** The watcher takes a watch for every file and every directory. */
export function checkInotify(looks: readonly FolderLook[], watches: InotifyLimit, instances: InotifyLimit): Check[] {
  const watched = looks.filter(({ folder, seen }) => folder.watch && seen !== undefined)
  const needed = watched.reduce((sum, { seen }) => sum + seen!.files + seen!.directories, 0)
  const is_least = watched.some(({ seen }) => seen?.from === 'part of a walk')
  return [judgeWatches(needed, is_least, watches), ...judgeInstances(instances)]
}

function judgeWatches(needed: number, is_least: boolean, { name, value }: InotifyLimit): Check {
  if (value === Number.POSITIVE_INFINITY) return ok('inotify', 'inotify', 'this system has no limit that can be read')
  const count = `${is_least ? 'at least ' : ''}${formatCount(needed)}`
  const text = `the folders take ${count} watches, ${name} is ${formatCount(value)}`
  if (needed <= value * comfortable_part) return ok('inotify', name, text)
  const hint = sysctlLine(name, raisedLimit(value, needed))
  if (needed <= value) return warning('inotify', name, `${text}, for all programs of this user together`, hint)
  return fault('inotify', name, `${text}: what is not watched is found by scans only`, hint)
}

function judgeInstances({ name, value }: InotifyLimit): Check[] {
  if (value >= least_instances) return []
  return [warning('inotify', name, `it is ${value}, for all programs of this user together`, sysctlLine(name, 128))]
}

/** In force at once, and after a restart of the machine. */
function sysctlLine(name: string, value: number): string {
  return `echo ${name}=${value} | sudo tee -a /etc/sysctl.d/60-sluice.conf && sudo sysctl -w ${name}=${value}`
}
