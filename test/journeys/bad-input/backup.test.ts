import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test as plain } from 'vitest'
import { openSqlite, openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { backUpLedger, restoreLedger } from '../../../src/ledger/backup.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { faultsIn, faultsOf } from '../../ledger/broken-rules.ts'
import { md5Of, openRig, type Rig, stat } from '../../ledger/views/view-rig.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'

/** The copy takes long enough to be killed halfway. */
const files_at_first = 5_000

const script = `
  import { backUpLedger } from '${builtModule('ledger/backup')}'
  try {
    backUpLedger(process.argv[2], process.argv[3], { force: true })
    console.log('made')
  } catch (error) {
    console.log(error.code)
  }`

interface World {
  rig: Rig
  /** The directory of backups. */
  place: string
  /** Number of files that are safely recorded. */
  recorded(): number
  /** Ends the endless writes. */
  rest(): Promise<void>
}

/** A ledger with endless writes. */
async function openWorld(): Promise<World> {
  const rig = await openRig()
  const first = Array.from({ length: files_at_first }, (_, at) => ({
    type: 'file_settled' as const,
    folder: 'notes',
    path: `a directory with a rather long name/${at}.txt`,
    stat: stat(),
    md5: md5Of(1_000_000 + at),
  }))
  await rig.record(...first)
  let recorded = files_at_first
  let is_over = false
  const writing = (async () => {
    while (!is_over) {
      await rig.bringIn(`new/${recorded}.txt`)
      recorded++
    }
  })()
  const rest = async () => {
    is_over = true
    await writing
  }
  onTestFinished(rest)
  return { rig, place: makeStore(), recorded: () => recorded, rest }
}

/**
 * Runs `sluice backup --force` in its own process; `limit` is a line of shell before it. Returns
 * its result.
 */
function startBackup(
  state_dir: string,
  file: string,
  limit = '',
): { child: ChildProcess; ended: Promise<string> } {
  const module = join(makeTree({ 'backup.mjs': script }), 'backup.mjs')
  const words = ['-c', `${limit}\nexec "$@"`, 'sh', process.execPath, module, state_dir, file]
  const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout?.on('data', (chunk) => (out += String(chunk)))
  return { child, ended: new Promise((resolve) => child.on('close', () => resolve(out.trim()))) }
}

function filesIn(file: string): number {
  const database = openSqliteReadOnly(file, ledger_migrations)
  try {
    return database.prepare('SELECT count(*) FROM files').pluck().get() as number
  } finally {
    database.close()
  }
}

/**
 * Expects a sound backup with every file recorded before its start, and the same of a restored
 * ledger.
 */
function expectWhole(file: string, at_least: number): void {
  expect(faultsIn(file)).toEqual([])
  expect(filesIn(file)).toBeGreaterThanOrEqual(at_least)
  const state_dir = join(makeStore(), 'state')
  restoreLedger(state_dir, file, 1)
  expect(faultsOf(state_dir)).toEqual([])
  expect(filesIn(join(state_dir, 'ledger.db'))).toBe(filesIn(file))
}

/** True if a name is a temporary file, and not one that a user would take for a backup. */
const isLeftOver = (name: string) => /\.\d+\.tmp(-journal)?$/.test(name)
const backupsIn = (place: string) => readdirSync(place).filter((name) => !isLeftOver(name))

const test = (name: string, run: () => Promise<void>) => plain(name, { timeout: 120_000 }, run)

test('while the ledger is written, copies that are killed or run out of space leave the earlier backup', async () => {
  const { rig, place, recorded, rest } = await openWorld()
  const file = join(place, 'ledger.backup')
  const untouched = join(place, 'first')
  for (let round = 0; round < 2; round++) {
    let at_least = recorded()
    expect(await startBackup(rig.state_dir, file).ended).toBe('made')
    expectWhole(file, at_least)

    const before = readFileSync(file)
    // The limit is smaller than the copy. The first target has an earlier backup, the second does
    // not exist.
    for (const target of [file, untouched]) {
      const outcome = await startBackup(rig.state_dir, target, 'ulimit -f 200').ended
      expect(outcome).toMatch(/^database\.(disk|full)$/)
    }
    expect(backupsIn(place)).toEqual(['ledger.backup'])
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(place), 'a copy that failed is removed').toEqual(['ledger.backup'])

    at_least = recorded()
    const killed = startBackup(rig.state_dir, file)
    await killedOnTheWay(killed.child, file)
    // If the kill came after the rename, the file is the new backup.
    if ((await killed.ended) === 'made' || !readFileSync(file).equals(before))
      expectWhole(file, at_least)
    expect(backupsIn(place)).toEqual(['ledger.backup'])
    const left_over = readdirSync(place).filter(isLeftOver)
    for (const name of left_over)
      if (name.endsWith('.tmp')) expectWholeOrRefused(join(place, name), at_least)
    for (const name of left_over) rmSync(join(place, name))
  }
  await rest()
})

/** Kills the process as soon as its copy exists. */
async function killedOnTheWay(child: ChildProcess, file: string): Promise<void> {
  const isCopying = () => readdirSync(dirname(file)).some((name) => name !== basename(file))
  while (!isCopying() && child.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve))
  child.kill('SIGKILL')
}

/** Expects a complete backup, or one that restore refuses, from what a killed copy left. */
function expectWholeOrRefused(file: string, at_least: number): void {
  const state_dir = join(makeStore(), 'state')
  try {
    restoreLedger(state_dir, file, 1)
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage.backup' })
    expect(existsSync(join(state_dir, 'ledger.db'))).toBe(false)
    return
  }
  expectWhole(file, at_least)
}

test('while a transaction is out of space, a backup has everything that was committed before', async () => {
  const { rig, place, recorded, rest } = await openWorld()
  await rest()
  await rig.closeLedger()
  const database = openSqlite({
    file: join(rig.state_dir, 'ledger.db'),
    migrations: ledger_migrations,
    synchronous: 'FULL',
  })
  onTestFinished(() => void database.close())
  const pages = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${pages + 10}`)
  for (let round = 0; round < 3; round++) {
    database.exec('BEGIN IMMEDIATE')
    const insert = database.prepare(
      `INSERT INTO history (at_ms, content, event, detail) VALUES (0, 1, 'x', ?)`,
    )
    expect(() => {
      for (;;) insert.run('x'.repeat(1_000))
    }).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }))
    const file = join(place, `backup-${round}`)
    expect(backUpLedger(rig.state_dir, file, { force: false })).toMatchObject({ files: recorded() })
    expectWhole(file, recorded())
    expect(filesIn(file)).toBe(recorded())
    if (database.inTransaction) database.exec('ROLLBACK')
  }
})

test('a ledger that another program has locked: no backup is made, and the earlier one stays', async () => {
  const { rig, place, recorded, rest } = await openWorld()
  await rest()
  await rig.closeLedger()
  const file = join(place, 'ledger.backup')
  backUpLedger(rig.state_dir, file, { force: false })
  const before = readFileSync(file)
  const other = new (sqliteDriver())(join(rig.state_dir, 'ledger.db'))
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec(
    `BEGIN IMMEDIATE; INSERT INTO history (at_ms, content, event) VALUES (0, 1, 'x'); COMMIT`,
  )
  const refused = [file, join(place, 'another')].map(
    (target) => startBackup(rig.state_dir, target).ended,
  )
  expect(await Promise.all(refused)).toEqual(['database.locked', 'database.locked'])
  expect(readdirSync(place)).toEqual(['ledger.backup'])
  expect(readFileSync(file).equals(before)).toBe(true)
  other.close()
  expect(await startBackup(rig.state_dir, file).ended).toBe('made')
  expectWhole(file, recorded())
})

test('restore refuses a file that only resembles a backup', async () => {
  const { rig, place, rest } = await openWorld()
  await rest()
  const file = join(place, 'ledger.backup')
  backUpLedger(rig.state_dir, file, { force: false })
  const bytes = readFileSync(file)
  for (const length of [0, 100, 4_096, bytes.length / 2, bytes.length - 4_096]) {
    writeFileSync(file, bytes.subarray(0, length))
    const state_dir = join(makeStore(), 'state')
    expect(() => restoreLedger(state_dir, file, 1), `${length} bytes of it`).toThrow(
      expect.objectContaining({ code: 'usage.backup' }),
    )
    expect(existsSync(join(state_dir, 'ledger.db'))).toBe(false)
  }
})
