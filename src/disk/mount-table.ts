import { readFileSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'
import { isBelow } from '../base/path-below.ts'

export interface MountEntry {
  /** Its real path. */
  place: string
  /** `major:minor`, as the kernel numbers disks. */
  device: string
  /** `ext4`, `nfs4`, `fuse.sshfs` … */
  type: string
}

/** The mounts of this process, by proc_pid_mountinfo(5), in the order in which they were made: no disk or server is asked. */
export function parseMountTable(mountinfo: string): MountEntry[] {
  return mountinfo.split('\n').flatMap((line): MountEntry[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , device, , place] = before.split(' ')
    if (device === undefined || place === undefined) return []
    return [{ place: unescaped(place), device, type: after.split(' ')[0]! }]
  })
}

/** Empty on systems that have none. */
export function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}

/** The mount that holds a real path: of those on its way the nearest, of those at one place the last. */
export function mountOf(path: string, mounts: readonly MountEntry[]): MountEntry | undefined {
  let found: MountEntry | undefined
  for (const mount of mounts) {
    const is_nearer = !found || mount.place.length >= found.place.length
    if (is_nearer && isBelow(path, mount.place)) found = mount
  }
  return found
}

/** White space and backslashes stand there in octal, byte by byte. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const latin1 = Buffer.from(text).toString('latin1')
  const bytes = latin1.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
  return Buffer.from(bytes, 'latin1').toString()
}
