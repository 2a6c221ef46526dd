import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Day, type FaultKind, faultName } from './day/day.ts'
import { drawDay } from './day/draw-day.ts'
import { register } from './doors/thread.ts'
import { replaceBuiltins } from './world/builtins.ts'
import { real } from './world/real.ts'

/** Maximum time for making a red day smaller. */
const max_shrink_ms = 120_000

const { values: options } = parseArgs({
  options: {
    /** Default: 10, or none if days are given. */
    seeds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    day: { type: 'string', multiple: true },
    without: { type: 'string', default: '' },
    /** Only seeds whose day has this fault, by its name in the table. */
    having: { type: 'string', default: '' },
    /** Directory for the script and the log of a red day. */
    red: { type: 'string', default: '/tmp' },
    verbose: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: true },
    /** File for the results of the days as JSON; run.mjs adds up those of several processes. */
    result: { type: 'string', default: '' },
    'stop-at-red': { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
  },
  allowNegative: true,
})

// Load these modules before the first day, so that all days start equally.
const threads = [
  'ledger/thread',
  'disk/read/examine-thread',
  'disk/scan/scan-thread',
  'disk/root/root-thread',
  'service/reading/reader-thread',
]
for (const module of threads) {
  register(module)
  await import(`../../src/${module}.js`)
}
replaceBuiltins()
const { playDay } = await import('./play/play-day.js')
const { world } = await import('./world/world.js')
const { digestOf, Table } = await import('./play/table.js')
const table = new Table()

function* days(): Generator<Day> {
  for (const file of options.day ?? []) yield JSON.parse(real.readFileSync(file, 'utf8')) as Day
  const seeds = options.seeds ?? (options.day ? '0' : '10')
  const without = options.without.split(',').filter(Boolean) as FaultKind[]
  for (let seed = Number(options.seed), left = Number(seeds); left > 0; seed++, left--) {
    const day = drawDay(seed, without)
    if (options.having === '' || day.faults.some((fault) => faultName(fault) === options.having))
      yield day
  }
}

async function play(day: Day, seen = new Table()) {
  const base = real.mkdtempSync('/dev/shm/sluice-sim-')
  try {
    return await playDay(day, base, seen)
  } finally {
    real.rmSync(base, { recursive: true, force: true })
  }
}

type Part = 'faults' | 'kills' | 'acts'
/** Faults first: a red day with one fault explains most. */
const parts: readonly Part[] = ['faults', 'kills', 'acts']

/**
 * Finds a smaller day that is still red: takes out faults, kills and acts, several at a time and
 * then one by one, while there is time.
 */
async function shrink(
  day: Day,
  isRed: (day: Day) => Promise<boolean>,
  isInTime: () => boolean,
): Promise<Day> {
  let smallest = day
  for (let is_smaller = true; is_smaller && isInTime(); ) {
    is_smaller = false
    for (const part of parts) {
      for (let size = Math.max(1, smallest[part].length >> 1); size >= 1; size = size >> 1) {
        for (let at = 0; at < smallest[part].length && isInTime(); ) {
          const fewer = { ...smallest, [part]: smallest[part].toSpliced(at, size) } as Day
          if (await isRed(fewer)) {
            smallest = fewer
            is_smaller = true
          } else at += size
        }
      }
    }
  }
  return smallest
}

/** The complaint without file names: a smaller day has others. */
function complaintOf(wrong: string): string {
  return wrong.replace(/^\S+ \(\w+\) /, '').replace(/:.*/s, '')
}

/** Keeps the smallest day that is red in this way, as a script that `--day` replays. */
async function keep(day: Day): Promise<void> {
  real.mkdirSync(options.red, { recursive: true })
  const until_ms = performance.now() + max_shrink_ms
  const complaints = new Set((await play(day)).wrong.map(complaintOf))
  const isRed = async (smaller: Day) =>
    (await play(smaller)).wrong.some((wrong) => complaints.has(complaintOf(wrong)))
  const small = options.shrink ? await shrink(day, isRed, () => performance.now() < until_ms) : day
  const played = await play(small)
  const name = join(options.red, `sim-red-${day.seed}`)
  const byTime = (a: string, b: string) => Number.parseFloat(a) - Number.parseFloat(b)
  real.writeFileSync(`${name}.json`, `${JSON.stringify(small, null, 2)}\n`)
  real.writeFileSync(
    `${name}.log`,
    `${[...played.wrong, ...[...played.play.log, ...world.notes].sort(byTime)].join('\n')}\n`,
  )
  const { acts, faults, kills } = small
  console.log(
    `  kept as ${name}.json: ${acts.length} acts, ${faults.map(faultName).join(', ')}, ${kills.length} kills`,
  )
}

let red = 0
let count = 0
for (const day of days()) {
  count++
  const day_began = performance.now()
  const played = await play(day, table)
  const virtual_min = Math.round(world.at_ms / 60_000)
  const ms = Math.round(performance.now() - day_began)
  const { wrong, end_state, trace } = played
  if (options.twice && digestOf((await play(day)).end_state) !== digestOf(end_state))
    wrong.push('the day does not repeat itself')
  if (options.verbose || wrong.length > 0) {
    const faults = day.faults.map(faultName).join(', ')
    const facts = `${played.play.facts.length} facts, end ${digestOf(end_state)}, trace ${trace}`
    console.log(
      `${wrong.length > 0 ? 'RED' : 'ok'} seed ${day.seed}, ${ms} ms for ${virtual_min} min, ${facts}: ${faults}`,
    )
    for (const line of wrong) console.log(`  ${line}`)
  }
  if (wrong.length === 0) continue
  red++
  await keep(day)
  if (options['stop-at-red']) break
}
real.writeFileSync(options.result, JSON.stringify({ count, red, cells: [...table.cells.counts] }))
process.exit(red > 0 ? 1 : 0)
