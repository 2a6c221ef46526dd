// node read-ledger.mjs DIST PLACE ROWS: the time that a ledger needs to open, and for `status`,
// `explain` and a search of the page.
import { pathToFileURL } from 'node:url'
import { percentileOf } from '../rig/statistics.mjs'
import { ledgerConfig, pathOf } from './ledger-config.mjs'

const [dist, place, rows] = [process.argv[2], process.argv[3], Number(process.argv[4])]
/** @param {string} module */
const built = (module) => import(`${pathToFileURL(dist).href}/${module}.js`)
const { openLedger } = await built('ledger/open-ledger')
const { openLedgerView } = await built('ledger/views/view')
const { openHealthView } = await built('ledger/views/view-health')
const { ledgerLimits } = await built('daemon/limits')
const { system_clock: clock } = await built('base/time/time')
const { statusView } = await built('status/view')
const { healthFacts, healthStatus } = await built('status/health/health-facts')
const { explain } = await built('inspect/explain/explain')
const { withSearchView } = await built('page/reads/search-files')

const times = 50
const config = await ledgerConfig(dist, place)

const status = timesOf(() => {
  const now_ms = clock.now_ms()
  const health_view = openHealthView(config.state_dir)
  const facts = healthFacts(health_view, config, now_ms, {
    prompts: [],
    stuck: [],
    ledger_fault: undefined,
  })
  const health = healthStatus(facts, config.health, true)
  health_view.close()
  const ledger = openLedgerView(config.state_dir)
  statusView({ ledger, settings: config, daemon: { state: 'stopped' }, health, now_ms })
  ledger.close()
})
const explained = timesOf((time) => {
  const ledger = openLedgerView(config.state_dir)
  const where = { folder: 'bench', path: pathOf(Math.floor((rows * time) / times)) }
  const { state } = explain({
    config,
    ledger,
    place: where,
    daemon_runs: true,
    now_ms: clock.now_ms(),
  })
  if (state === 'unknown') throw new Error(`${where.path} is unknown`)
  ledger.close()
})
const frequent = await searchTimes(() => 'MÍNUTES txt', 100)
const rare = await searchTimes((time) => `mínutes ${rows + time}`, 0)
const began = performance.now()
const ledger = await openLedger({
  state_dir: config.state_dir,
  limits: ledgerLimits(config),
  clock,
})
await ledger.folders()
const start_s = (performance.now() - began) / 1_000
await ledger.close()
const figures = {
  start_s,
  status_first_ms: status[0],
  status_ms: percentileOf(status, 50),
  explain_first_ms: explained[0],
  explain_ms: percentileOf(explained, 50),
  search_frequent_ms: percentileOf(frequent, 95),
  search_rare_ms: percentileOf(rare, 95),
}
console.log(JSON.stringify(figures))

/** @param {(time: number) => void} work @returns {number[]} milliseconds */
function timesOf(work) {
  return Array.from({ length: times }, (_, time) => {
    const began = performance.now()
    work(time)
    return performance.now() - began
  })
}

/**
 * @param {(time: number) => string} queryOf
 * @param {number} expected files found @returns {Promise<number[]>} milliseconds
 */
async function searchTimes(queryOf, expected) {
  const taken = []
  for (let time = 0; time < times; time++) {
    const began = performance.now()
    const of = { folders: config.folders, query: queryOf(time), stages: [], limit: 100 }
    const { files } = await withSearchView(config.state_dir, (view) => view.search(of))
    taken.push(performance.now() - began)
    if (files.length !== expected) throw new Error(`${of.query} found ${files.length} files`)
  }
  return taken
}
