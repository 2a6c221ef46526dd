import { lookKey } from '../../domain/file.ts'
import { isBefore } from '../../ledger/path-order.ts'

interface Looks {
  folder: string
  paths: readonly string[]
  by_scan: boolean
  /** True for a path that somebody else will look at for us: it is left out, also where that begins while others are waited for. */
  isLeft?: (path: string) => boolean
}

export type ScanTurn = ReturnType<ReturnType<typeof createLookTurns>['beginScan']>

interface Stretch {
  folder: string
  first_path: string
  last_path: string
  work: Promise<unknown>
}

/** So many are noted for a scan; one in whose course more are looked at takes every file the slow way. */
const most_noted = 10_000

/**
 * Who looks at which paths now. A path is looked at by one at a time; the second waits, so that an
 * older look never overwrites a newer one.
 */
export function createLookTurns() {
  const in_flight = new Map<string, Promise<unknown>>()
  const stretches = new Set<Stretch>()
  const scans = new Set<{ folder: string; noted: Set<string>; has_too_many: boolean }>()

  function inWayOf(folder: string, paths: readonly string[], by_scan: boolean): Promise<unknown>[] {
    const others = paths.map((path) => in_flight.get(lookKey(folder, path))).filter((other) => other !== undefined)
    if (by_scan) return others
    for (const stretch of stretches) {
      if (stretch.folder === folder && paths.some((path) => holds(stretch, path))) others.push(stretch.work)
    }
    return others
  }

  function note(folder: string, paths: readonly string[]): void {
    for (const scan of scans) {
      if (scan.folder !== folder || scan.has_too_many) continue
      for (const path of paths) scan.noted.add(path)
      if (scan.noted.size <= most_noted) continue
      scan.has_too_many = true
      scan.noted.clear()
    }
  }

  return {
    /**
     * Begins the work when nobody else looks at any of these paths. A scan's own looks wait for
     * none of its stretches.
     */
    async take<Result>(
      { folder, paths: wanted, by_scan, isLeft = () => false }: Looks,
      work: (paths: readonly string[]) => Promise<Result>,
    ): Promise<Result> {
      if (!by_scan) note(folder, wanted)
      let paths = wanted
      for (;;) {
        paths = wanted.filter((path) => !isLeft(path))
        const others = inWayOf(folder, paths, by_scan)
        if (others.length === 0) break
        await Promise.allSettled(others)
      }
      const begun = work(paths)
      const keys = paths.map((path) => lookKey(folder, path))
      for (const key of keys) in_flight.set(key, begun)
      try {
        return await begun
      } finally {
        for (const key of keys) in_flight.delete(key)
      }
    },
    inFlight: () => in_flight.size + stretches.size,
    /**
     * From now on what is looked at in the folder by others is noted for this scan, which looks
     * long before it tells.
     */
    beginScan(folder: string) {
      const scan = { folder, noted: new Set<string>(), has_too_many: false }
      scans.add(scan)
      return {
        /**
         * Nobody else has looked at the path since the scan began. It is asked for where anybody
         * has looked at anything.
         */
        isFirst: (path: () => string) => !scan.has_too_many && !(scan.noted.size > 0 && scan.noted.has(path())),
        /** From the first to the last path, in path order, others wait until the work is done. */
        hold(first_path: string, last_path: string, work: Promise<unknown>) {
          const stretch = { folder, first_path, last_path, work }
          stretches.add(stretch)
          const forget = () => void stretches.delete(stretch)
          work.then(forget, forget)
        },
        end: () => void scans.delete(scan),
      }
    },
  }
}

function holds({ first_path, last_path }: Stretch, path: string): boolean {
  return !isBefore(path, first_path) && !isBefore(last_path, path)
}
