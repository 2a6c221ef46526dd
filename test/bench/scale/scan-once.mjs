// node scan-once.mjs DIST STATE_DIR FOLDER [all-ready | excludes]: scans a folder into a ledger as
// a daemon does, and sends nothing. It prints the recorded facts, the time and the delay of the
// event loop as one line of JSON. With all-ready it then records that the service has all files.
// With excludes it scans with twenty patterns that match no file.
import { mkdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { recordAllReady } from '../rig/all-ready.mjs'

/** A longer list of paths adds nothing to their number. */
const max_reported = 100
const [program, state_dir, watched, then] = process.argv.slice(2)
const excludes = ['doc', 'old', 'tmp', 'bak', 'raw'].flatMap((end) => [
  `*.${end}`,
  `/no-area-*/**/*.${end}`,
  `no-project-*.${end}/`,
  `**/drafts-${end}/*`,
])
/** @param {string} module */
const built = (module) => import(pathToFileURL(`${program}/${module}.js`).href)
const { configFromObject } = await built('config/load')
const { openTools } = await built('daemon/tools')
const { createLog } = await built('base/text/log')
const { system_clock: clock } = await built('base/time/time')
const { createIgnoreRules } = await built('disk/scan/ignore')
const { rootStatus } = await built('disk/root/root')
const { createIntake } = await built('sync/intake/intake')
const { rulesText } = await built('sync/folder-settings')
const { createDeviceTurns } = await built('sync/folder/device-turns')
const { scanOnce } = await built('sync/folder/scan-folder')

mkdirSync(state_dir, { recursive: true, mode: 0o700 })
const config = configFromObject(
  {
    service: {
      base_url: 'http://127.0.0.1:1',
      project_id: `project_${'n'.repeat(20)}`,
      token_file: '/dev/null',
    },
    state_dir,
    folders: [
      {
        name: 'bench',
        path: watched,
        settle_ms: '50ms',
        exclude: then === 'excludes' ? excludes : [],
      },
    ],
    uploads: { limit: 'off' },
  },
  {},
)
const log = createLog({ level: 'error', format: 'json', destination: process.stderr })
const began = performance.now()
const tools = await openTools({ config, clock, log })
const [folder] = config.folders
const { name, path: root, project_id, labels, label_from } = folder
const folders = new Map([[name, { settings: folder, rules: createIgnoreRules(root, folder) }]])
const { empty_folder_files, missing_files, missing_percent, answer_ms } = config.scan
const reported = { settled: [], gone: [] }
let settled = 0
const ledger = {
  ...tools.ledger,
  async record(facts) {
    await tools.ledger.record(facts)
    for (const fact of facts) {
      if (fact.type === 'files_found') settled += fact.ends.length
      else if (fact.type === 'file_settled' && ++settled <= max_reported)
        reported.settled.push(fact.path)
      else if (fact.type === 'file_gone') reported.gone.push(fact.path)
    }
  },
}
const intake = createIntake({
  ...tools,
  ledger,
  folders,
  empty_folder_files,
  missing_files,
  missing_percent,
  answer_ms,
})
await tools.ledger.record([
  {
    type: 'folder_configured',
    folder: { name, root, project_id, labels, label_from, rules: rulesText(folder) },
  },
  { type: 'folder_online', folder: name, device: rootStatus(root).device },
])
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const scan_began = performance.now()
const began_ms = clock.now_ms()
const { kind, summary } = await scanOnce(
  folder,
  { ...tools, ledger, intake, turns: createDeviceTurns(), ...config.scan },
  { signal: new AbortController().signal },
)
await tools.ledger.record([{ type: 'scan_finished', folder: name, began_ms, summary }])
const scan_s = (performance.now() - scan_began) / 1_000
delay.disable()
const ready = then === 'all-ready' ? await recordAllReady(tools.ledger) : undefined
await tools.examiner.close()
await tools.roots.close?.()
await tools.ledger.close()
const cpu = process.cpuUsage()
console.log(
  JSON.stringify({
    kind,
    files: summary?.files,
    settled,
    ready,
    reported,
    scan_s,
    whole_s: (performance.now() - began) / 1_000,
    cpu_s: (cpu.user + cpu.system) / 1e6,
    loop_p99_ms: delay.percentile(99) / 1e6,
    max_loop_ms: delay.max / 1e6,
    peak_mb:
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1_000,
  }),
)
