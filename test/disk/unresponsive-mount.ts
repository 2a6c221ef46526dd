import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { isNotRoot } from '../rig/root-only.ts'

/**
 * Mounts a file system without a server over a directory: every call to it waits, as on a hard
 * mount whose server is down. Returns a function that unmounts it, or undefined where it cannot be
 * mounted.
 */
export function mountUnresponsive(place: string): (() => void) | undefined {
  if (isNotRoot('an unresponsive mount')) return undefined
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const stdio = ['ignore', 'ignore', 'pipe', device] as const
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'dead', place], {
    stdio: [...stdio],
  })
  let is_there = true
  const unmount = () => {
    if (!is_there) return
    is_there = false
    // After the last descriptor is closed, waiting callers get ENOTCONN.
    closeSync(device)
    if (status === 0) spawnSync('umount', ['-l', place])
  }
  onTestFinished(unmount)
  if (status === 0) return unmount
  unmount()
  return undefined
}
