// npm run bench [-- --rounds N --files N --only rescan|sync|service --connections N --program MAIN_JS --json FILE]
// npm run bench -- scale [--rounds N --files N]: looks at 200,000 files, or as many as are wanted
// Every figure is the median of the rounds, its spread beside it; ratios are of runs of the same round.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { benchFirstSync } from './first-sync.mjs'
import { readOptions } from './options.mjs'
import { benchRescan } from './rescan.mjs'
import { benchScale } from './scale.mjs'
import { benchService } from './service-load.mjs'
import { tableOf } from './table.mjs'

const scale_aims = {
  rescan_times_find_most: 2.2,
  rescan_peak_mb_most: 160,
  times_md5sum_most: 2.2,
  loop_p99_ms_most: 50,
}
const first_aims = { times_find_most: 2.2, of_bare_rate_least: 0.5, peak_mb_most: 200 }

const options = readOptions(process.argv.slice(2))
const work = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const removeWork = () => rmSync(work, { recursive: true, force: true })
process.once('SIGINT', () => {
  removeWork()
  process.exit(130)
})

try {
  const results = await measureAll()
  writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`)
  console.log(tableOf(results))
} catch (error) {
  console.error(`no figures: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  removeWork()
}

async function measureAll() {
  const date = new Date().toISOString()
  const rescan = options.parts.has('rescan') ? await benchRescan(options, made('rescan')) : undefined
  const sync = options.parts.has('sync') ? await benchFirstSync(options, made('sync')) : undefined
  const service = options.parts.has('service') ? await benchService(options, made('service')) : undefined
  const scale = options.parts.has('scale') ? await benchScale(options, made('scale')) : undefined
  const machine = {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model,
    processors: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
  }
  const command = ['npm run bench', ...process.argv.slice(2)].join(' ')
  return {
    date,
    command,
    machine,
    rounds: options.rounds,
    rescan,
    sync,
    service,
    scale,
    aims: aimsOf({ rescan, sync, scale }),
  }
}

/** @param {string} name */
function made(name) {
  const folder = join(work, name)
  mkdirSync(folder)
  return folder
}

function aimsOf({ rescan, sync, scale }) {
  const { times_find_most, of_bare_rate_least, peak_mb_most } = first_aims
  const aims = []
  const most = (what, found, aim) => aims.push({ what, found, aim: `${aim} at most`, met: found <= aim })
  const least = (what, found, aim) => aims.push({ what, found, aim: `${aim} at least`, met: found >= aim })
  if (rescan) {
    most('rescan in times of find', rescan.times_find.median, times_find_most)
    most('peak memory of the rescan, MB', rescan.peak_mb.most, peak_mb_most)
  }
  for (const name of sync ? ['local', 'null'] : []) {
    const figures = sync[`${name}_service`]
    least(`rate in shares of the bare client, ${name} service`, figures.of_bare_rate.median, of_bare_rate_least)
    most(`peak memory of the first sync, ${name} service, MB`, figures.sluice_peak_mb.most, peak_mb_most)
  }
  if (scale) {
    const { rescan_times_find_most, rescan_peak_mb_most, times_md5sum_most, loop_p99_ms_most } = scale_aims
    most('rescan in times of find', scale.rescan.times_find.median, rescan_times_find_most)
    most('peak memory of the rescan, MB', scale.rescan.peak_mb.most, rescan_peak_mb_most)
    most('first look in times of md5sum', scale.first_look.times_md5sum.median, times_md5sum_most)
    most(
      'p99 of the delay of the event loop at the first look, ms',
      scale.first_look.loop_p99_ms.most,
      loop_p99_ms_most,
    )
  }
  return aims
}
