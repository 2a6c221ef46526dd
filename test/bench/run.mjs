// npm run bench [-- --rounds N --files N --only rescan|sync|service --connections N]
//   [--program MAIN_JS --json FILE]
// npm run bench -- scale [--rounds N --files N --only ROW,ROW --idle-s N --saves N --large-mb N]
// npm run bench -- answers
// The second form measures big folders, row by row (scale-rows.mjs), the third
// what answers find (service/answers). Every figure is the median of
// the rounds, with its spread; ratios are of runs of the same round.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { benchFirstSync } from './first-sync.mjs'
import { benchRescan } from './rescan.mjs'
import { readOptions } from './rig/options.mjs'
import { tableOf } from './rig/table.mjs'
import { benchScale } from './scale/scale.mjs'
import { scaleAims } from './scale/scale-aims.mjs'
import { answersAims, benchAnswers } from './service/answers/bench-answers.mjs'
import { benchService } from './service/service-load.mjs'

const first_aims = { max_times_find: 2.2, min_of_bare_rate: 0.5, max_peak_mb: 200 }

const options = readOptions(process.argv.slice(2))
const work = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const removeWork = () => rmSync(work, { recursive: true, force: true })
process.once('SIGINT', () => {
  removeWork()
  process.exit(130)
})

try {
  const results = await measureAll()
  write(results)
  console.log(tableOf(results))
  if (Object.values(results.scale ?? {}).some(({ failed }) => failed !== undefined))
    process.exitCode = 1
} catch (error) {
  console.error(`no figures: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  removeWork()
}

async function measureAll() {
  const { parts, is_scale, is_answers } = options
  const date = new Date().toISOString()
  const machine = machineHere()
  const command = ['npm run bench', ...process.argv.slice(2)].join(' ')
  const about = { date, command, machine, rounds: options.rounds }
  if (is_answers) {
    const answers = await benchAnswers(made('answers'))
    return { ...about, answers, aims: answersAims(answers) }
  }
  if (is_scale) {
    const resultsOf = (scale) => ({ ...about, scale, aims: scaleAims(scale) })
    // A scale run takes long, so each row is written at once and stays whatever comes later.
    return resultsOf(await benchScale(options, made('scale'), (scale) => write(resultsOf(scale))))
  }
  const rescan = parts.has('rescan') ? await benchRescan(options, made('rescan')) : undefined
  const sync = parts.has('sync') ? await benchFirstSync(options, made('sync')) : undefined
  const service = parts.has('service') ? await benchService(options, made('service')) : undefined
  return { ...about, rescan, sync, service, aims: aimsOf({ rescan, sync }) }
}

function machineHere() {
  return {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model,
    processors: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
  }
}

function write(results) {
  writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`)
}

/** @param {string} name */
function made(name) {
  const folder = join(work, name)
  mkdirSync(folder)
  return folder
}

function aimsOf({ rescan, sync }) {
  const { max_times_find, min_of_bare_rate, max_peak_mb } = first_aims
  const aims = []
  const max = (what, found, aim) =>
    aims.push({ what, found, aim: `${aim} at most`, met: found <= aim })
  const min = (what, found, aim) =>
    aims.push({ what, found, aim: `${aim} at least`, met: found >= aim })
  if (rescan) {
    max('rescan in times of find', rescan.times_find.median, max_times_find)
    max('peak memory of the rescan, MB', rescan.peak_mb.max, max_peak_mb)
  }
  for (const name of sync ? ['local', 'null'] : []) {
    const figures = sync[`${name}_service`]
    min(
      `rate in shares of the bare client, ${name} service`,
      figures.of_bare_rate.median,
      min_of_bare_rate,
    )
    max(
      `peak memory of the first sync, ${name} service, MB`,
      figures.sluice_peak_mb.max,
      max_peak_mb,
    )
  }
  return aims
}
