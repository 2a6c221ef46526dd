import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { disturb, find, rest } from '../rescan.mjs'
import { measureCommand } from '../rig/measured-process.mjs'
import { figureOf } from '../rig/statistics.mjs'

const scan_once = fileURLToPath(new URL('scan-once.mjs', import.meta.url))
const run = promisify(execFile)

const of_the_process = {
  loop_p99_ms: ['loop, p99 of the delay', 'ms'],
  cpu_s: ['processor time, whole process', 's'],
  peak_mb: ['peak memory', 'MB'],
}

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const rescan = {
  name: 'rescan',
  about: ({ files }) =>
    `A scan of ${files} known files; one changed, one added, one removed, exactly these recorded`,
  figures: {
    find_s: ['find', 's'],
    scan_s: ['scan, from its begin', 's'],
    times_find: ['scan in times of find', 'x'],
    times_without: ['scan with twenty excludes in times of one without', 'x'],
    ...of_the_process,
  },
  aims: [
    { figure: 'times_find', max: 2.2 },
    { figure: 'peak_mb', of: 'max', max: 160 },
  ],
  measure: measureRescan,
}

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const first_scan = {
  name: 'first-scan',
  about: ({ files }) => `First scan of ${files} files, all hashed into the ledger`,
  figures: {
    md5sum_s: ['find | xargs -P2 md5sum', 's'],
    scan_s: ['scan, from its begin', 's'],
    times_md5sum: ['scan in times of md5sum', 'x'],
    max_loop_ms: ['loop, longest delay', 'ms'],
    ...of_the_process,
  },
  aims: [
    { figure: 'times_md5sum', max: 2.2 },
    { figure: 'loop_p99_ms', of: 'max', max: 50 },
  ],
  measure: measureFirstScan,
}

/**
 * A new process scans a known folder again, after one file was changed, one added and one removed,
 * beside `find`. A scan that does not record exactly these three gets no figures. Nothing is sent.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
async function measureRescan({ options: { program, rounds }, folder, tree, turn }) {
  const { watched, paths } = await tree()
  const work = folder('rescan')
  const state_dir = join(work, 'state')
  const excluding = join(work, 'excluding')
  // The first scan finds all files, and the second one learns which directories do not change.
  for (const _ of [1, 2]) {
    await scanOnce(program, state_dir, watched)
    await scanOnce(program, excluding, watched, 'excludes')
  }
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const { changed, added, removed } = disturb(watched, paths, turn())
    await rest()
    const found = await find(watched)
    const scan = await scanOnce(program, state_dir, watched)
    refuseOthers('settled', scan.reported.settled, [...changed, ...added])
    refuseOthers('gone', scan.reported.gone, removed)
    const excludes = await scanOnce(program, excluding, watched, 'excludes')
    runs.push({ find: found, scan, excludes })
  }
  rmSync(work, { recursive: true })
  return {
    files: paths.length,
    find_s: figureOf(runs.map((run) => run.find.seconds)),
    scan_s: figureOf(runs.map((run) => run.scan.scan_s)),
    times_find: figureOf(runs.map((run) => run.scan.scan_s / run.find.seconds)),
    times_without: figureOf(runs.map((run) => run.excludes.scan_s / run.scan.scan_s)),
    cpu_s: figureOf(runs.map((run) => run.scan.cpu_s)),
    loop_p99_ms: figureOf(runs.map((run) => run.scan.loop_p99_ms)),
    peak_mb: figureOf(runs.map((run) => run.scan.peak_mb)),
  }
}

/**
 * Scans a folder for the first time, with all files hashed into a new ledger, beside md5sum in two
 * processes.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
async function measureFirstScan({ options: { program, rounds }, folder, tree }) {
  const { watched, paths } = await tree()
  const work = folder('first-scan')
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const state_dir = join(work, `state-${round}`)
    const line = 'find "$0" -type f -print0 | xargs -0 -P2 -n 2000 md5sum'
    const md5sum = await measureCommand('sh', ['-c', line, watched])
    const scan = await scanOnce(program, state_dir, watched)
    if (scan.settled !== paths.length)
      throw new Error(`${scan.settled} of ${paths.length} files settled`)
    rmSync(state_dir, { recursive: true })
    runs.push({ md5sum, scan })
  }
  return {
    files: paths.length,
    md5sum_s: figureOf(runs.map((run) => run.md5sum.seconds)),
    scan_s: figureOf(runs.map((run) => run.scan.scan_s)),
    times_md5sum: figureOf(runs.map((run) => run.scan.scan_s / run.md5sum.seconds)),
    cpu_s: figureOf(runs.map((run) => run.scan.cpu_s)),
    loop_p99_ms: figureOf(runs.map((run) => run.scan.loop_p99_ms)),
    max_loop_ms: figureOf(runs.map((run) => run.scan.max_loop_ms)),
    peak_mb: figureOf(runs.map((run) => run.scan.peak_mb)),
  }
}

/**
 * @param {string} program the main module of a built Sluice
 * @param {string} state_dir
 * @param {string} watched
 * @param {...('all-ready' | 'excludes')} words
 */
export async function scanOnce(program, state_dir, watched, ...words) {
  const { stdout } = await run(process.execPath, [
    scan_once,
    dirname(dirname(program)),
    state_dir,
    watched,
    ...words,
  ])
  const scan = JSON.parse(stdout)
  if (scan.kind !== 'finished') throw new Error(`the scan did not come to its end: ${scan.kind}`)
  return scan
}

/** @param {string} kind @param {string[]} reported @param {string[]} done */
function refuseOthers(kind, reported, done) {
  if (reported.toSorted().join('\n') === done.toSorted().join('\n')) return
  throw new Error(`recorded as ${kind}: ${reported.join(', ')}; done: ${done.join(', ')}`)
}
