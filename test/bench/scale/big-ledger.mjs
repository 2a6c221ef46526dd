import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { figureOf } from '../rig/statistics.mjs'

const run = promisify(execFile)
const script = (name) => fileURLToPath(new URL(name, import.meta.url))

const titles = {
  start_s: ['start: opened, its thread included', 's'],
  status_first_ms: ['status, the first of a process', 'ms'],
  status_ms: ['status', 'ms'],
  explain_first_ms: ['explain, the first of a process', 'ms'],
  explain_ms: ['explain', 'ms'],
  search_frequent_ms: ['search of the page for a frequent word, 95 %', 'ms'],
  search_rare_ms: ['search of the page for words that no file has, 95 %', 'ms'],
}

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const big_ledger = {
  name: 'big-ledger',
  about: ({ rows }) =>
    `A ledger of ${rows} files, most of them ready; beside it, what is gone, waits, is tried again or refused`,
  figures: titles,
  aims: [
    { figure: 'start_s', max: 1 },
    { figure: 'status_ms', max: 20 },
    { figure: 'explain_ms', max: 20 },
    { figure: 'search_frequent_ms', max: 600 },
    { figure: 'search_rare_ms', max: 600 },
  ],
  measure,
}

/**
 * Measures the time that `status` and `explain` need for the ledger, by their own views, in a new
 * process each round. The first read of a process loads SQLite, too.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
async function measure({ options: { program, rounds, ledger_rows: rows }, folder }) {
  const place = folder('big-ledger')
  const dist = dirname(dirname(program))
  await run(process.execPath, [script('fill-ledger.mjs'), dist, place, String(rows)])
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const { stdout } = await run(process.execPath, [
      script('read-ledger.mjs'),
      dist,
      place,
      String(rows),
    ])
    runs.push(JSON.parse(stdout))
  }
  const figures = Object.keys(titles).map((figure) => [
    figure,
    figureOf(runs.map((run) => run[figure])),
  ])
  return { rows, ...Object.fromEntries(figures) }
}
