import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { measureCommand } from './measured-process.mjs'
import { disturb, find } from './rescan.mjs'
import { figureOf } from './statistics.mjs'

const look_once = fileURLToPath(new URL('look-once.mjs', import.meta.url))
const run = promisify(execFile)
/** One look must find what was changed quiet, whatever the clock of the file system is behind ours. */
const quiet_ms = 2_000

/**
 * A known folder is looked at again by a new process, after one file was changed, one added, one removed; beside `find`. Nobody is
 * measured who does not record exactly the three. Nothing is sent.
 * @param {{ program: string, rounds: number }} options
 * @param {{ watched: string, paths: string[], work: string }} tree as `makeTree` made it
 */
export async function benchScaleRescan({ program, rounds }, { watched, paths, work }) {
  const state_dir = join(work, 'rescan-state')
  // Takes all in, and then learns what stays as it is.
  await lookOnce(program, state_dir, watched)
  await lookOnce(program, state_dir, watched)
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const { changed, added, removed } = disturb(watched, paths, round)
    await setTimeout(quiet_ms)
    const found = await find(watched)
    const look = await lookOnce(program, state_dir, watched)
    refuseOthers('settled', look.told.settled, [...changed, ...added])
    refuseOthers('gone', look.told.gone, removed)
    runs.push({ find: found, look })
  }
  rmSync(state_dir, { recursive: true })
  return {
    files: paths.length,
    find_s: figureOf(runs.map((run) => run.find.seconds)),
    scan_s: figureOf(runs.map((run) => run.look.scan_s)),
    times_find: figureOf(runs.map((run) => run.look.scan_s / run.find.seconds)),
    cpu_s: figureOf(runs.map((run) => run.look.cpu_s)),
    loop_p99_ms: figureOf(runs.map((run) => run.look.loop_p99_ms)),
    peak_mb: figureOf(runs.map((run) => run.look.peak_mb)),
  }
}

/**
 * A folder is looked at for the first time, all of it hashed into a new ledger; beside md5sum in two processes.
 * @param {{ program: string, rounds: number }} options
 * @param {{ watched: string, paths: string[], work: string }} tree
 */
export async function benchScaleFirstLook({ program, rounds }, { watched, paths, work }) {
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const state_dir = join(work, `first-look-${round}`)
    const line = 'find "$0" -type f -print0 | xargs -0 -P2 -n 2000 md5sum'
    const md5sum = await measureCommand('sh', ['-c', line, watched])
    const look = await lookOnce(program, state_dir, watched)
    if (look.settled !== paths.length) throw new Error(`${look.settled} of ${paths.length} files settled`)
    rmSync(state_dir, { recursive: true })
    runs.push({ md5sum, look })
  }
  return {
    files: paths.length,
    md5sum_s: figureOf(runs.map((run) => run.md5sum.seconds)),
    scan_s: figureOf(runs.map((run) => run.look.scan_s)),
    times_md5sum: figureOf(runs.map((run) => run.look.scan_s / run.md5sum.seconds)),
    cpu_s: figureOf(runs.map((run) => run.look.cpu_s)),
    loop_p99_ms: figureOf(runs.map((run) => run.look.loop_p99_ms)),
    loop_most_ms: figureOf(runs.map((run) => run.look.loop_most_ms)),
    peak_mb: figureOf(runs.map((run) => run.look.peak_mb)),
  }
}

/** @param {string} program the main module of a built Sluice @param {string} state_dir @param {string} watched */
async function lookOnce(program, state_dir, watched) {
  const { stdout } = await run(process.execPath, [look_once, dirname(dirname(program)), state_dir, watched])
  const look = JSON.parse(stdout)
  if (look.kind !== 'finished') throw new Error(`the scan did not come to its end: ${look.kind}`)
  return look
}

/** @param {string} kind @param {string[]} told @param {string[]} done */
function refuseOthers(kind, told, done) {
  if (told.toSorted().join('\n') === done.toSorted().join('\n')) return
  throw new Error(`recorded as ${kind}: ${told.join(', ')}; done: ${done.join(', ')}`)
}
