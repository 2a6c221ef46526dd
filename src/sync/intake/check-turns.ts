import { checkKey, isBefore } from '../../domain/file.ts'

interface Checks {
  folder: string
  paths: readonly string[]
  by_scan: boolean
  /** True for a path that another caller checks for this one, also while this one waits. */
  isLeft?: (path: string) => boolean
}

export type ScanTurn = ReturnType<ReturnType<typeof createCheckTurns>['beginScan']>

interface Range {
  folder: string
  first_path: string
  last_path: string
  work: Promise<unknown>
}

/** Maximum paths noted for one scan. With more, the scan checks every file one by one. */
const max_noted = 10_000

/** Lets one caller at a time check a path, so no older check overwrites a newer one. */
export function createCheckTurns() {
  const in_flight = new Map<string, Promise<unknown>>()
  const ranges = new Set<Range>()
  const scans = new Set<{ folder: string; noted: Set<string>; has_too_many: boolean }>()

  function inWayOf(folder: string, paths: readonly string[], by_scan: boolean): Promise<unknown>[] {
    const others = paths
      .map((path) => in_flight.get(checkKey(folder, path)))
      .filter((other) => other !== undefined)
    if (by_scan) return others
    for (const range of ranges) {
      if (range.folder === folder && paths.some((path) => holds(range, path)))
        others.push(range.work)
    }
    return others
  }

  function note(folder: string, paths: readonly string[]): void {
    for (const scan of scans) {
      if (scan.folder !== folder || scan.has_too_many) continue
      for (const path of paths) scan.noted.add(path)
      if (scan.noted.size <= max_noted) continue
      scan.has_too_many = true
      scan.noted.clear()
    }
  }

  return {
    /** Begins the work once no other caller checks these paths. A scan ignores its own ranges. */
    async take<Result>(
      { folder, paths: wanted, by_scan, isLeft = () => false }: Checks,
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
      const keys = paths.map((path) => checkKey(folder, path))
      for (const key of keys) in_flight.set(key, begun)
      try {
        return await begun
      } finally {
        for (const key of keys) in_flight.delete(key)
      }
    },
    inFlight: () => in_flight.size + ranges.size,
    /** Notes what others check from now on: a scan reads a file long before it reports it. */
    beginScan(folder: string) {
      const scan = { folder, noted: new Set<string>(), has_too_many: false }
      scans.add(scan)
      return {
        /** True if no other caller has checked the path since the scan began. */
        isFirst: (path: () => string) =>
          !scan.has_too_many && !(scan.noted.size > 0 && scan.noted.has(path())),
        /** Other checks of paths in this range, in path order, wait for the work. */
        hold(first_path: string, last_path: string, work: Promise<unknown>) {
          const range = { folder, first_path, last_path, work }
          ranges.add(range)
          const forget = () => void ranges.delete(range)
          work.then(forget, forget)
        },
        end: () => void scans.delete(scan),
      }
    },
  }
}

function holds({ first_path, last_path }: Range, path: string): boolean {
  return !isBefore(path, first_path) && !isBefore(last_path, path)
}

type Answer = 'recorded' | 'doubtful'

interface LargeCheck {
  answer: Promise<Answer>
  is_wanted_again: boolean
}

/** Allows one check per large file. Reading one may take an hour, so no other caller waits. */
export function createLargeChecks() {
  const checks = new Map<string, LargeCheck>()

  async function repeat(
    key: string,
    check: LargeCheck,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      for (;;) {
        check.is_wanted_again = false
        const answer = await work()
        if (!check.is_wanted_again) return answer
      }
    } finally {
      // This runs in the same tick: a later caller then checks the file itself.
      checks.delete(key)
    }
  }

  return {
    /** True if the file is being checked; it is then checked again afterwards. */
    askAgain(folder: string, path: string): boolean {
      const under_way = checks.get(checkKey(folder, path))
      if (under_way) under_way.is_wanted_again = true
      return under_way !== undefined
    },
    /** A caller that comes during the read gets the first caller's answer. */
    check(folder: string, path: string, work: () => Promise<Answer>): Promise<Answer> {
      const key = checkKey(folder, path)
      const under_way = checks.get(key)
      if (under_way) return under_way.answer
      const check: LargeCheck = { answer: Promise.resolve('recorded'), is_wanted_again: false }
      checks.set(key, check)
      check.answer = repeat(key, check, work)
      return check.answer
    },
  }
}
