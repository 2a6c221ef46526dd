import { setTimeout } from 'node:timers/promises'
import { disturb, find, rest } from '../rescan.mjs'
import { differencesOf, readLedger, refuseOtherDifferences } from '../rig/outcome.mjs'
import { figureOf } from '../rig/statistics.mjs'

/** In this time the daemon uploads the added and changed files, and frees memory. */
const steady_ms = 5_000

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const start = {
  name: 'start',
  about: ({ files }) =>
    `sluice run on ${files} known files, until they are watched and reconciled; one changed, one added, one removed meanwhile, exactly these reported`,
  figures: {
    find_s: ['find', 's'],
    reconciled_s: ['from exec to reconciled', 's'],
    peak_mb: ['peak memory until then', 'MB'],
    steady_mb: ['resident afterwards', 'MB'],
    cpu_s: ['processor time until then', 's'],
  },
  aims: [
    { figure: 'reconciled_s', max: 3 },
    { figure: 'peak_mb', of: 'max', max: 200 },
  ],
  measure,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measure({ options: { rounds }, known, turn }) {
  const folder = await known()
  // Lets the daemon choose its watcher, and learn which directories do not change.
  await startAndStop(folder)
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const before = readLedger(folder.ledger_file)
    const done = disturb(folder.watched, folder.paths, turn())
    await rest()
    const { seconds } = await find(folder.watched)
    const run = await startAndStop(folder)
    refuseOtherDifferences(differencesOf(before, readLedger(folder.ledger_file)), done)
    runs.push({ ...run, find_s: seconds })
  }
  const figures = ['find_s', 'reconciled_s', 'peak_mb', 'steady_mb', 'cpu_s']
  return {
    files: folder.paths.length,
    ...Object.fromEntries(
      figures.map((figure) => [figure, figureOf(runs.map((run) => run[figure]))]),
    ),
  }
}

async function startAndStop(folder) {
  const daemon = folder.start()
  const ended_ms = await daemon.scanned()
  const { peak_mb } = daemon.memory()
  const cpu_s = daemon.cpu_s()
  await setTimeout(steady_ms)
  const { rss_mb } = daemon.memory()
  await daemon.stop()
  return { reconciled_s: (ended_ms - daemon.began_ms) / 1_000, peak_mb, steady_mb: rss_mb, cpu_s }
}
