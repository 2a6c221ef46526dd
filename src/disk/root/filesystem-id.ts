import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { second_ms } from '../../base/time/time.ts'

/** A local disk answers in milliseconds. The caller gives up the thread before this limit. */
const max_answer_ms = 10 * second_ms

/** These keep their id with the disk. A tmpfs, for example, has a new one at each mount. */
const keeping_ids: ReadonlySet<string> = new Set(['ext4', 'btrfs', 'zfs', 'f2fs', 'bcachefs'])

/**
 * A local filesystem's own id (f_fsid of statfs(2)), in hex. A `~` at its end: each mount may have
 * a new one. undefined: it says nothing about the disk, as xfs and vfat repeat the device number.
 * Node's statfs lacks the id, so the program `stat` (coreutils, busybox) reads it. That takes about
 * 5 ms and blocks the caller.
 */
export function filesystemId(root: string, filesystem: string, device: bigint): string | undefined {
  if (process.platform !== 'linux' || !hasFreeDescriptors()) return undefined
  const { status, stdout } = spawnSync('stat', ['-f', '-c', '%i', '--', root], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: max_answer_ms,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  const id = stdout?.trim() ?? ''
  if (status !== 0 || !/^[0-9a-f]{1,16}$/.test(id) || repeatsDevice(id, device)) return undefined
  return keeping_ids.has(filesystem) ? id : `${id}~`
}

/** If a child's pipes cannot all be opened, spawnSync leaks one of them (Node 20.20). */
const needed_descriptors = 12

function hasFreeDescriptors(): boolean {
  const opened: number[] = []
  try {
    while (opened.length < needed_descriptors) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/**
 * The kernel fills the first 32 bits, or the last ones in the output of `stat`, with the device
 * number (huge_encode_dev).
 *
 * @internal
 */
export function repeatsDevice(id: string, device: bigint): boolean {
  const value = BigInt(`0x${id}`)
  return value === 0n || value === device || value === (BigInt.asUintN(32, device) << 32n) + (device >> 32n)
}
