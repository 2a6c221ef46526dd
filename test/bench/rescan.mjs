import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { configure, settle_ms } from './rig/configured.mjs'
import { measureCommand, measureNode, startServer } from './rig/measured-process.mjs'
import { differencesOf, readLedger, refuseOtherDifferences, refuseUnready } from './rig/outcome.mjs'
import { figureOf } from './rig/statistics.mjs'
import { makeTree, textOf } from './rig/tree.mjs'

/** The yardstick: it checks everything that a rescan must check, and nothing else. */
const find_format = '%s %T@ %C@ %D %i %P\\n'
/**
 * A file of this age is settled at once: settle_ms and the granularity of file times
 * (sync/intake/found-files), 2 s on some disks.
 */
const rest_ms = 2_000 + settle_ms + 200

/**
 * Measures a rescan of a known folder after one file was changed, one added and one removed, beside
 * `find`, and less the time of the same command on an empty folder. A program that does not report
 * exactly these three gets no figures.
 * @param {import('./rig/options.mjs').BenchOptions} options
 * @param {string} work
 */
export async function benchRescan(options, work) {
  const { rescan_files: files, rescan_folders: folders, rounds, program, connections } = options
  const watched = join(work, 'watched')
  const paths = makeTree(watched, { files, folders, bytes: Math.min(options.file_bytes, 1_024) })
  const empty_folder = join(work, 'empty')
  mkdirSync(empty_folder)
  const server = await startServer(new URL('rig/null-service.mjs', import.meta.url), [])
  try {
    const service = server.ready
    const full = configure(join(work, 'full'), { watched, service, connections })
    const empty = configure(join(work, 'nothing'), { watched: empty_folder, service, connections })
    await rest()
    // Sends the folder, and warms up all three programs.
    await measureNode(program, full.words)
    refuseUnready(full.ledger_file, files)
    await measureNode(program, empty.words)
    await find(watched)

    const runs = []
    for (let round = 0; round < rounds; round++) {
      const before = readLedger(full.ledger_file)
      const done = disturb(watched, paths, round)
      await rest()
      const found = await find(watched)
      const nothing = await measureNode(program, empty.words)
      const rescan = await measureNode(program, full.words)
      refuseOtherDifferences(differencesOf(before, readLedger(full.ledger_file)), done)
      runs.push({ find: found, empty: nothing, rescan })
    }
    return summaryOf(runs, files, folders)
  } finally {
    await server.stop()
    rmSync(watched, { recursive: true })
  }
}

/**
 * Changes one file, adds one and removes one: others in each round, spread over the folder.
 * @param {string} watched
 * @param {string[]} paths the present paths, which this keeps up to date
 * @param {number} round
 */
export function disturb(watched, paths, round) {
  const changed = paths[Math.floor(paths.length * 0.3) + round]
  const [removed] = paths.splice(Math.floor(paths.length * 0.6) + round, 1)
  const added = join(changed, `../added-${round}.txt`)
  writeFileSync(changed, textOf(1_000_000 + round, 1_000))
  writeFileSync(added, textOf(2_000_000 + round, 1_000))
  rmSync(removed)
  paths.push(added)
  const inside = (path) => [relative(watched, path)]
  return { changed: inside(changed), added: inside(added), removed: inside(removed) }
}

/** @param {string} watched */
export function find(watched) {
  return measureCommand('find', [watched, '-type', 'f', '-printf', find_format])
}

export function rest() {
  return new Promise((resolve) => setTimeout(resolve, rest_ms))
}

/** @param {Record<'find' | 'empty' | 'rescan', import('./rig/measured-process.mjs').Measurement>[]} runs */
function summaryOf(runs, files, folders) {
  const net = runs.map(({ rescan, empty }) => rescan.seconds - empty.seconds)
  return {
    files,
    folders,
    find_s: figureOf(runs.map((run) => run.find.seconds)),
    empty_s: figureOf(runs.map((run) => run.empty.seconds)),
    rescan_s: figureOf(runs.map((run) => run.rescan.seconds)),
    net_s: figureOf(net),
    times_find: figureOf(net.map((seconds, at) => seconds / runs[at].find.seconds)),
    cpu_s: figureOf(runs.map((run) => run.rescan.cpu_s)),
    peak_mb: figureOf(runs.map((run) => run.rescan.peak_mb)),
  }
}
