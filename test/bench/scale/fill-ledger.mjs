// node fill-ledger.mjs DIST PLACE ROWS: a ledger of so many files, filled by facts alone. One file
// in a hundred is gone. In a thousand, one is refused, one waits to be sent, and one failed and is
// tried again. All others are ready.
import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { recordAllReady } from '../rig/all-ready.mjs'
import { ledgerConfig, pathOf } from './ledger-config.mjs'

const [dist, place, rows] = [process.argv[2], process.argv[3], Number(process.argv[4])]
/** @param {string} module */
const built = (module) => import(`${pathToFileURL(dist).href}/${module}.js`)
const { openLedger } = await built('ledger/open-ledger')
const { ledgerLimits } = await built('daemon/limits')
const { system_clock: clock } = await built('base/time/time')
const { rulesText } = await built('sync/folder-settings')

const facts_at_once = 20_000
const summary = {
  ignored: [],
  odd_names: [],
  odd_names_total: 0,
  special: [],
  unreadable: [],
  unreadable_total: 0,
  other_mounts: [],
}
const config = await ledgerConfig(dist, place)
const ledger = await openLedger({
  state_dir: config.state_dir,
  limits: ledgerLimits(config),
  clock,
})
const [folder] = config.folders
const began_ms = clock.now_ms()
await ledger.record([
  { type: 'folder_configured', folder: { ...folder, root: folder.path, rules: rulesText(folder) } },
  { type: 'folder_online', folder: folder.name, device: 1n },
])
await settle((number) => number % 1_000 > 2)
await recordAllReady(ledger)
await record(
  (number) => number % 100 === 50,
  (path) => ({ type: 'file_gone', folder: folder.name, path }),
)
await settle((number) => number % 1_000 <= 2)
await recordBad()
await ledger.record([
  {
    type: 'scan_finished',
    folder: folder.name,
    began_ms,
    summary: { ...summary, files: rows, directories: rows / 100, bytes: rows * 4_096 },
  },
])
await ledger.close()

/** @param {(number: number) => boolean} isMeant */
function settle(isMeant) {
  return record(isMeant, (path, number) => {
    const stat = {
      size: 4_096,
      mtime_ns: BigInt(number),
      ctime_ns: BigInt(number),
      inode: BigInt(number + 1),
    }
    const md5 = createHash('md5').update(path).digest('hex')
    return { type: 'file_settled', folder: folder.name, path, stat, md5 }
  })
}

async function record(isMeant, factOf) {
  let facts = []
  for (let number = 0; number < rows; number++) {
    if (isMeant(number)) facts.push(factOf(pathOf(number), number))
    if (facts.length < facts_at_once && number < rows - 1) continue
    await ledger.record(facts)
    facts = []
  }
}

/** Of the waiting contents, one third is refused, and one third is tried again later. */
async function recordBad() {
  for (;;) {
    const { work } = await ledger.claimToSend(1_000, { except_projects: [] })
    const facts = work.flatMap(({ content }) => factsOfBad(content))
    if (facts.length === 0) return
    await ledger.record(facts)
  }
}

function factsOfBad(content) {
  const error = { code: `bench.fault_${content % 5}`, message: 'the service does not like it' }
  if (content % 3 === 0) return [{ type: 'content_refused', content, error }]
  if (content % 3 === 1)
    return [{ type: 'deferred', content, not_before_ms: began_ms + 86_400_000, error }]
  return []
}
