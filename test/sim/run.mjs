import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Builds the program and the sim into a directory of their own, replaces modules of the program by
 * the sim's doors, and plays days there; with `--patch FILE` on a patched copy of the tree.
 * docs/development.md has the options and lists the doors.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Module of the program -> the text that replaces it. */
const doors = {
  'base/run/thread': `export * from '{doors}/thread.js'`,
  'base/files/mount-table': `export * from './mount-table.real.js'\nexport const mayHang = () => false`,
  'base/net/http-client-undici': `export * from '{doors}/http.js'`,
  'base/net/http-server': `export * from './http-server.real.js'\nexport { closeServer, listen, listenOnSocket } from '{doors}/http.js'`,
  'base/time/cron': `export * from './cron.real.js'\nexport { wakeAt } from '{doors}/time.js'`,
  'base/time/time': `export * from './time.real.js'\nexport { system_clock } from '{doors}/time.js'`,
  'base/files/sqlite-driver': `export * from '{doors}/sqlite.js'`,
  'ledger/claims/in-flight': `export * from '{doors}/in-flight.js'`,
  'disk/watch/watch': `export * from '{doors}/watch.js'`,
}

/** A door that uses the replaced module imports it under this name. */
const with_real = { sqlite: 'sqlite-driver', 'in-flight': 'in-flight' }

function copyOfTree(patch) {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-sim-patched-'))
  for (const name of [
    'src',
    'test/sim',
    'test/rig/config-of.ts',
    'test/rig/fake-clock.ts',
    'test/rig/local-service.ts',
    'test/rig/wake-by.ts',
    'test/journeys/rig/chance.ts',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const { status } = spawnSync('git', ['apply', resolve(patch)], { cwd: copy, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${patch} does not apply`)
  return copy
}

function build(tree, built) {
  mkdirSync(built, { recursive: true })
  const project = join(tree, 'test/sim/tsconfig.json')
  // `npm run check:types` checks the types; a planted fault need not have correct types.
  const options = ['-p', project, '--outDir', built, '--noCheck']
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { stdio: 'inherit' })
  if (status !== 0) throw new Error('the sim does not build')
  cpSync(join(tree, 'package.json'), join(built, 'package.json'))
  for (const [module, text] of Object.entries(doors)) {
    const file = join(built, 'src', `${module}.js`)
    renameSync(file, file.replace(/\.js$/, '.real.js'))
    writeFileSync(
      file,
      `${text.replaceAll('{doors}', `${'../'.repeat(module.split('/').length)}test/sim/doors`)}\n`,
    )
  }
  for (const [door, module] of Object.entries(with_real)) {
    const file = join(built, 'test/sim/doors', `${door}.js`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(`/${module}.js`, `/${module}.real.js`))
  }
}

/** The value of an option that is not passed to node, and the remaining options. */
function takeOption(given, name) {
  const at = given.indexOf(name)
  if (at < 0) return { value: undefined, rest: given }
  return { value: given[at + 1], rest: given.toSpliced(at, 2) }
}

/** The options of each process: the seeds are dealt out in ranges of equal length. */
function dealOut(given, jobs) {
  const { value: seeds = '10', rest } = takeOption(given, '--seeds')
  const { value: seed = '1', rest: others } = takeOption(rest, '--seed')
  if (given.includes('--day')) return [given]
  const each = Math.ceil(Number(seeds) / jobs)
  const shares = Array.from({ length: jobs }, (_, job) =>
    Math.min(each, Number(seeds) - job * each),
  )
  return shares.flatMap((share, job) =>
    share > 0
      ? [['--seed', String(Number(seed) + job * each), '--seeds', String(share), ...others]]
      : [],
  )
}

/** Resolves when all have ended; with `--stop-at-red` the first red day ends them all. */
async function playAll(main, shares) {
  const children = shares.map((options, job) => {
    const result = join(built, `result-${job}.json`)
    const child = spawn(process.execPath, [main, '--result', result, ...options], {
      stdio: 'inherit',
    })
    const ended = new Promise((resolve) => child.on('close', (status) => resolve(status)))
    return { child, ended, result }
  })
  const results = children.map(async ({ ended, result }) => {
    const status = await ended
    if (status !== 0 && shares[0].includes('--stop-at-red'))
      for (const { child } of children) child.kill()
    // A killed process has written none.
    return existsSync(result)
      ? JSON.parse(readFileSync(result, 'utf8'))
      : { count: 0, red: 0, cells: [] }
  })
  const statuses = await Promise.all(children.map(({ ended }) => ended))
  return { results: await Promise.all(results), failed: statuses.some((status) => status !== 0) }
}

const { value: patch, rest } = takeOption(process.argv.slice(2), '--patch')
const { value: jobs = '1', rest: others } = takeOption(rest, '--jobs')
const shows_table = others.includes('--table')
const caches = join(root, 'node_modules/.cache')
mkdirSync(caches, { recursive: true })
const tree = patch === undefined ? root : copyOfTree(patch)
const built = patch === undefined ? mkdtempSync(join(caches, 'sim-')) : join(tree, 'built')
try {
  build(tree, built)
  const began = performance.now()
  const shares = dealOut(
    others.filter((option) => option !== '--table'),
    Number(jobs),
  )
  const { results, failed } = await playAll(join(built, 'test/sim/main.js'), shares)
  const total = (what) => results.reduce((sum, result) => sum + result[what], 0)
  if (shows_table) {
    const { Cells } = await import(join(built, 'test/sim/day/cells.js'))
    console.log(new Cells(results.flatMap(({ cells }) => cells)).lines().join('\n'))
  }
  const s = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${total('count')} ${total('count') === 1 ? 'seed' : 'seeds'}, ${total('red')} red, ${s} s`,
  )
  process.exitCode = failed ? 1 : 0
} finally {
  rmSync(built, { recursive: true, force: true })
  if (tree !== root) rmSync(tree, { recursive: true, force: true })
}
