import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sqliteDriver } from '../../../dist/base/files/sqlite-driver.js'
import { rest } from '../rescan.mjs'
import { configure } from '../rig/configured.mjs'
import { measureNode, startServer } from '../rig/measured-process.mjs'
import { refuseUnready } from '../rig/outcome.mjs'
import { startSluice } from '../rig/running-sluice.mjs'
import { figureOf } from '../rig/statistics.mjs'
import { textOf } from '../rig/tree.mjs'

const Database = sqliteDriver()
const run = promisify(execFile)
const local_service = new URL('../rig/local-service.mjs', import.meta.url)
/**
 * The edits of each file. They come round by round over all files, so that the kernel cannot join
 * them. Each gives two events or more.
 */
const edits_each = 20
const creates = 40
const files_a_folder = 100
const check_each_ms = 50
/** A file that takes longer is lost. */
const patience_ms = 600_000

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const burst = {
  name: 'burst',
  about: ({ edits, files, creates }) =>
    `${edits} edits of ${files} files and ${creates} creates in one burst, local service; from its end until ledger and service have what
  a second program reads off the disk, settle_ms of 50 ms within; with the daemon at work, and with it stopped until the end of the burst`,
  figures: {
    at_work_s: ['at work: until all are ready', 's'],
    at_work_missed: ['  files the watcher missed', ''],
    stopped_s: ['stopped: until all are ready', 's'],
    stopped_missed: ['  files the watcher missed', ''],
    burst_s: ['the burst itself, at work', 's'],
    cpu_s: ['processor time of the daemon', 's'],
    loop_p99_ms: ['loop of the daemon, p99 of the delay', 'ms'],
    peak_mb: ['peak memory of the daemon', 'MB'],
    lost: ['files lost', ''],
  },
  aims: [
    { figure: 'lost', of: 'max', max: 0 },
    { figure: 'at_work_s', max: 15 },
    { figure: 'stopped_s', max: 15 },
    { figure: 'peak_mb', of: 'max', max: 300 },
  ],
  measure: measureBurst,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measureBurst({
  options: { program, rounds, connections, burst_files: files },
  folder,
}) {
  const work = folder('burst')
  const watched = join(work, 'watched')
  const paths = makeFiles(watched, files)
  await rest()
  const server = await startServer(local_service, [join(work, 'service'), 'md5s'])
  let held
  const runs = []
  const used = []
  try {
    const { words, ledger_file } = configure(join(work, 'sluice'), {
      watched,
      service: server.ready,
      connections,
    })
    await measureNode(program, words)
    refuseUnready(ledger_file, files)
    for (let round = 0; round < rounds; round++) {
      const sluice = await startSluice(program, ['run', ...words.slice(1)], ledger_file)
      try {
        const at_work = await burstOnce(`${round}-at-work`, { watched, paths, ledger_file })
        sluice.hold()
        const stopped = await burstOnce(`${round}-stopped`, {
          watched,
          paths,
          ledger_file,
          onEnd: sluice.goOn,
        })
        runs.push({ at_work, stopped })
      } finally {
        used.push(await sluice.stop())
      }
    }
  } finally {
    held = await server.stop()
  }
  const on_service = new Set(held.md5s)
  const lost = (await listOf(watched)).filter((line) => !on_service.has(line.slice(-32))).length
  rmSync(work, { recursive: true })
  const figureFrom = (kind, name) => figureOf(runs.map((run) => run[kind][name]))
  return {
    files,
    edits: files * edits_each,
    creates,
    at_work_s: figureFrom('at_work', 'seconds'),
    at_work_missed: figureFrom('at_work', 'missed'),
    stopped_s: figureFrom('stopped', 'seconds'),
    stopped_missed: figureFrom('stopped', 'missed'),
    burst_s: figureFrom('at_work', 'burst_s'),
    cpu_s: figureOf(used.map(({ cpu_s }) => cpu_s)),
    loop_p99_ms: figureOf(used.map(({ loop_p99_ms }) => loop_p99_ms)),
    peak_mb: figureOf(used.map(({ peak_mb }) => peak_mb)),
    lost: figureOf([lost]),
  }
}

/**
 * Makes one burst, and measures the time from its end until the ledger has every file ready with
 * its bytes on the disk. Throws where that does not happen.
 * @param {string} name another one for each burst
 * @param {{ watched: string, paths: string[], ledger_file: string, onEnd?: () => void }} about
 */
async function burstOnce(name, { watched, paths, ledger_file, onEnd }) {
  const ledger = openLedger(ledger_file)
  try {
    const began = performance.now()
    for (let edit = 0; edit < edits_each; edit++)
      for (const path of paths) appendFileSync(path, `edit ${name} ${edit}\n`)
    for (let at = 0; at < creates; at++)
      writeFileSync(join(watched, 'd0', `new-${name}-${at}.txt`), `new ${name} ${at}`)
    const ended = performance.now()
    onEnd?.()
    const on_disk = (await listOf(watched)).join('\n')
    const missed = new Map()
    while (ledger.ready().join('\n') !== on_disk) {
      ledger.noteMissed(missed)
      if (performance.now() - ended > patience_ms)
        throw new Error(`not all of it is ready ${patience_ms / 1_000} s later`)
      await setTimeout(check_each_ms)
    }
    const seconds = (performance.now() - ended) / 1_000
    ledger.noteMissed(missed)
    const of_all = [...missed.values()].reduce((sum, files) => sum + files, 0)
    return { seconds, missed: of_all, burst_s: (ended - began) / 1_000 }
  } finally {
    ledger.close()
  }
}

/**
 * A list by a second program: a line for each file, path and md5, in byte order.
 * @param {string} watched
 */
async function listOf(watched) {
  const { stdout } = await run(
    'sh',
    ['-c', 'find . -type f -print0 | xargs -0 -P2 -n 500 md5sum'],
    {
      cwd: watched,
      maxBuffer: 2 ** 28,
    },
  )
  const lines = stdout.trim().split('\n')
  return lines.map((line) => `${line.slice('./'.length + 34)} ${line.slice(0, 32)}`).sort()
}

/**
 * The same list of ready files from the ledger, and the files that each scan found and the watcher
 * had missed. A change less than half a minute before the scan does not count as missed, because
 * its event may still come.
 */
function openLedger(ledger_file) {
  const database = new Database(ledger_file, { readonly: true, fileMustExist: true })
  const ready = database
    .prepare(
      `SELECT path || ' ' || lower(hex(md5)) FROM files JOIN contents ON contents.id = content
       WHERE files.state = 'present' AND contents.state = 'ready'`,
    )
    .pluck()
  const missed = database.prepare(
    `SELECT scan_began_ms, scan_summary ->> 'missed' AS files FROM folders WHERE scan_began_ms >= ?`,
  )
  const opened_ms = Date.now()
  return {
    ready: () => ready.all().sort(),
    /**
     * Adds the missed files by the time at which their scan began.
     * @param {Map<number, number>} by_scan
     */
    noteMissed: (by_scan) => {
      for (const { scan_began_ms, files } of missed.all(opened_ms))
        by_scan.set(scan_began_ms, files ?? 0)
    },
    close: () => database.close(),
  }
}

/** @param {string} watched @param {number} files */
function makeFiles(watched, files) {
  return Array.from({ length: files }, (_, at) => {
    const directory = join(watched, `d${Math.floor(at / files_a_folder)}`)
    if (at % files_a_folder === 0) mkdirSync(directory, { recursive: true })
    const path = join(directory, `${at}.txt`)
    writeFileSync(path, textOf(at, 1_024))
    return path
  })
}
