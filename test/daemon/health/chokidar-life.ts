import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'vitest'
import { second_ms } from '../../../src/base/time/time.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { until } from '../../rig/waiting.ts'
import { Watched } from './rig.ts'

/** A random generator that draws the same numbers each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

function pathsIn(root: string): { files: string[]; directories: string[] } {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const path = (entry: (typeof entries)[number]) => join(entry.parentPath, entry.name)
  const [directories, files] = [true, false].map((is) =>
    entries.filter((one) => one.isDirectory() === is).map(path),
  )
  return { files: files!, directories: directories! }
}

/**
 * One of these: nested directories, a file saved by rename, two swapped directories, a renamed
 * directory.
 */
function step(watched: Watched, at: number, roll: (sides: number) => number): void {
  const { files, directories } = pathsIn(watched.docs)
  const one = (paths: readonly string[]) => paths[roll(paths.length)] ?? watched.docs
  const aside = (what: string) => join(watched.base, `${at}-${what}`)
  const what = roll(10)
  if (what < 2 && files.length > 0) {
    writeFileSync(aside('saved'), `saved ${at}`)
    renameSync(aside('saved'), one(files))
  } else if (what === 2 && directories.length > 0) {
    const place = one(directories)
    mkdirSync(join(aside('next'), 'sub'), { recursive: true })
    writeFileSync(join(aside('next'), 'sub', 'a.txt'), `swapped ${at}`)
    writeFileSync(join(aside('next'), `${at}.txt`), `swapped too ${at}`)
    renameSync(place, aside('before'))
    renameSync(aside('next'), place)
  } else if (what === 3 && directories.length > 0) {
    const place = one(directories)
    renameSync(place, join(dirname(place), `${basename(place)}-${at}`))
  } else {
    const deep = Array.from({ length: 1 + roll(4) }, () => `d${roll(6)}`)
    const place = join(roll(3) === 0 ? watched.docs : one(directories), ...deep)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${at}.txt`), `made ${at}`)
  }
}

function notIn(watched: Watched): string[] {
  const view = openLedgerView(watched.state_dir)
  try {
    const known = new Map<string, bigint>()
    for (const { path, stage, mtime_ns } of view.files({
      folder: 'docs',
      prefix: '',
      stages: [],
      after: undefined,
      limit: 10_000,
    })) {
      if (stage !== 'gone') known.set(join(watched.docs, path), mtime_ns)
    }
    return pathsIn(watched.docs).files.filter(
      (path) => known.get(path) !== lstatSync(path, { bigint: true }).mtimeNs,
    )
  } finally {
    view.close()
  }
}

/** `Soon` is within a time, or before the first scan that the test asks for. */
type Soon = { within_ms: number; rescan_interval_ms: string } | 'before a scan'

/** The time in which nearly all files are in; scans find the rest. */
export const in_time: Soon = { within_ms: 5 * second_ms, rescan_interval_ms: '10s' }

const nearly_all = 0.95

/**
 * Takes random steps while the daemon starts and later. Chokidar reports nearly every file soon,
 * and a scan finds the rest.
 */
export async function liveUnderChokidar(steps: number, soon: Soon): Promise<void> {
  const rescan_interval_ms = soon === 'before a scan' ? '1h' : soon.rescan_interval_ms
  const watched = await Watched.begin({ folder: { rescan_interval_ms } })
  await watched.synced()
  await watched.stop()
  const roll = dice(7)
  const turns = async (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      step(watched, at, roll)
      for (let turn = roll(20); turn >= 0; turn -= 1)
        await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all([watched.start(), turns(0, steps / 2)])
  await turns(steps / 2, steps)
  const ended_ms = performance.now()
  const count = pathsIn(watched.docs).files.length
  const areIn = () => count - notIn(watched).length
  let in_soon = 0
  if (soon === 'before a scan') {
    await until(
      'nearly every file is in',
      () => areIn() / count >= nearly_all,
      () => notIn(watched),
    )
    in_soon = areIn()
    watched.daemon.rescan('docs')
  }
  const allIn = () => {
    const are_in = areIn()
    if (soon !== 'before a scan' && performance.now() - ended_ms <= soon.within_ms) in_soon = are_in
    return are_in === count
  }
  await until('every file is in', allIn, () => notIn(watched))
  const all_ms = Math.round(performance.now() - ended_ms)
  console.log(`${in_soon} of ${count} files were in soon, all after ${all_ms} ms`)
  expect(in_soon / count).toBeGreaterThanOrEqual(nearly_all)
  await watched.green()
  expect((await watched.daemon.ledger.folders())[0]?.watch?.watcher).toBe('chokidar')
}
