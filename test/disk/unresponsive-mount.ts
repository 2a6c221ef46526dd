import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { isNotRoot } from '../rig/root-only.ts'

/**
 * A file system that nobody serves, mounted over a directory: every call to it waits, as on a hard mount whose server is gone.
 * Answers how to take it away again; undefined where it cannot be mounted.
 */
export function mountUnresponsive(place: string): (() => void) | undefined {
  if (isNotRoot('a share that is dead')) return undefined
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const stdio = ['ignore', 'ignore', 'pipe', device] as const
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'dead', place], { stdio: [...stdio] })
  let is_there = true
  const unmount = () => {
    if (!is_there) return
    is_there = false
    // With the last descriptor whoever waits gets ENOTCONN.
    closeSync(device)
    if (status === 0) spawnSync('umount', ['-l', place])
  }
  onTestFinished(unmount)
  if (status === 0) return unmount
  unmount()
  return undefined
}
