import { join } from 'node:path'
import { offline, rootStatus } from '../../../src/disk/root/root.ts'
import type { FolderWatcher, WatchOptions } from '../../../src/disk/watch/watch.ts'
import { hungUntilFree } from '../world/mounts.ts'
import { real } from '../world/real.ts'
import { later, type Watching, world } from '../world/world.ts'

/*
 * Replaces disk/watch/watch: acts on the disk report their changes here, and the faults of the day
 * decide which of them a watcher gets.
 */

export type { FolderWatcher, Hint, WatchOptions } from '../../../src/disk/watch/watch.ts'

const starts_ms = 20
const heard_ms = 15
const late_ms = 45_000

export async function watchFolder(options: WatchOptions): Promise<FolderWatcher> {
  const life = world.life!
  const { root, on_hint } = options
  const clock = world.clockOf(life, 'machine')
  await hungUntilFree(root)
  const status = rootStatus(root)
  if (status.kind === 'offline') throw offline(root, status.detail)
  await clock.sleep(starts_ms, options.signal)
  const inode = real.statSync(root, { throwIfNoEntry: false, bigint: true })?.ino
  const watching: Watching = {
    root,
    life,
    hint: on_hint,
  }
  world.watchers.add(watching)
  const isGone = () => real.statSync(root, { throwIfNoEntry: false, bigint: true })?.ino !== inode
  return {
    async close() {
      world.watchers.delete(watching)
      await later(life, () => {})
    },
    watched: () => 1,
    trouble: () => undefined,
    isStale: isGone,
  }
}

/** Reports a change below a watched folder; each watcher gets it as the faults in force allow. */
export function reportChange(
  folder: string,
  path: string,
  kind: 'path' | 'directory' = 'path',
): void {
  for (const watching of world.watchers) {
    if (watching.root === join(world.base, folder)) void reportOne(watching, path, kind)
  }
}

async function reportOne(
  watching: Watching,
  path: string,
  kind: 'path' | 'directory',
): Promise<void> {
  const how = world.inForce('watcher')[0]?.how
  if (how === 'lost') return
  const clock = world.clockOf(watching.life, 'machine')
  await clock.sleep(how === 'late' ? late_ms : heard_ms)
  if (!world.watchers.has(watching)) return
  if (how === 'overflow')
    return watching.hint({ kind: 'doubtful', reason: 'the queue of the kernel overflowed' })
  watching.hint({ kind, path })
  if (how !== 'doubled') return
  await clock.sleep(heard_ms)
  if (world.watchers.has(watching)) watching.hint({ kind, path })
}
