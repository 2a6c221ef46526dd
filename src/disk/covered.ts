import type { ScanEnd } from './walk-report.ts'

/** Whether a walk could not get to this path: another disk covers a directory above it, or one could not be read. */
export function outOfReach({ other_mounts, unreadable }: ScanEnd): (path: string) => boolean {
  const covers = new Set([...other_mounts, ...unreadable.map(({ path }) => path)])
  if (covers.size === 0) return () => false
  return (path) => {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (covers.has(path.slice(0, end))) return true
    }
    return false
  }
}
