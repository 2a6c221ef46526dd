import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { seedOfCommit } from '../../rig/commit-seed.ts'
import type { Stop } from './crashing-ledger.ts'
import type { End } from './end.ts'
import { type FactType, fact_types, isActedOn } from './fact-types.ts'
import { type Run, runScenario } from './run-scenario.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** Runs wait for disks and timers more than they compute. */
const runs_at_once = 6
/** Maximum number of contents in one life: four for each of the two connections of these worlds. */
const max_in_flight = 8

export interface PlannedStop {
  scenario: Scenario
  undisturbed: Run
  stop: Stop
  /** Another fact follows it in the undisturbed run. */
  has_next: boolean
}

/** Every fact of the undisturbed runs as a stop, in the order of the scenarios and of time. */
export async function everyFact(): Promise<PlannedStop[]> {
  const runs = await inParallel(scenarios, async (scenario) => ({
    scenario,
    undisturbed: await runScenario(scenario),
  }))
  for (const { scenario, undisturbed } of runs) expectAsked(scenario, undisturbed)
  return runs.flatMap(({ scenario, undisturbed }) => {
    const seen = new Map<FactType, number>()
    return undisturbed.facts.map((type, index, { length }) => {
      const occurrence = (seen.get(type) ?? 0) + 1
      seen.set(type, occurrence)
      const stop = { type, occurrence, when: 'at once' as const }
      return { scenario, undisturbed, stop, has_next: index < length - 1 }
    })
  })
}

/** Other runs are compared with the undisturbed one, so it must be correct itself. */
function expectAsked({ name, prompt }: Scenario, { end }: Run): void {
  if (!prompt || !end.prompt) return
  expect(end.prompt.posts, name).toBe(prompt.asks)
  const receives = end.prompt.deliveries.length > 0 ? 1 : 0
  expect(end.prompt.hook, name).toEqual({
    is_reached: receives === 1,
    ids: receives,
    bodies: receives,
  })
}

/**
 * Every fact as a stop; both kinds of stop where a worker acts on the service before the next fact.
 */
export function everyStop(facts: readonly PlannedStop[]): PlannedStop[] {
  return facts.flatMap((planned) => {
    const has_two = planned.has_next && isActedOn(planned.stop.type)
    return has_two
      ? [planned, { ...planned, stop: { ...planned.stop, when: 'before the next' } }]
      : [planned]
  })
}

/**
 * Expects the final state of the undisturbed run after each stop, and at least one stop for every
 * type of fact. On a slow machine, stops beyond `max_ms` are skipped with a message: rare types
 * come first, the others in another order for every commit.
 */
export async function expectSameEnds(stops: readonly PlannedStop[], max_ms: number): Promise<void> {
  const stopped_at = new Map<FactType, number>()
  const not_reached: string[] = []
  const wrong: string[] = []
  const began_ms = performance.now()
  let left_out = 0
  await inParallel(inTurns(stops), async (planned) => {
    const { scenario, stop } = planned
    if (performance.now() - began_ms > max_ms && fact_types.every((type) => stopped_at.has(type))) {
      left_out++
      return
    }
    const name = `${scenario.name}, stopped ${stop.when} after ${stop.type} ${stop.occurrence}`
    try {
      const run = await runScenario(scenario, stop)
      // Counted before the end is judged: with a wrong end at every stop, no limit would hold.
      if (run.was_stopped) stopped_at.set(stop.type, (stopped_at.get(stop.type) ?? 0) + 1)
      else not_reached.push(name)
      expectSameEnd(run, planned, name)
    } catch (error) {
      wrong.push(
        `${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
    }
  })
  const counts = [...stopped_at].map(([type, count]) => `${type} ${count}`).join(', ')
  if (left_out > 0)
    console.log(
      `skipped: ${left_out} of ${stops.length} stops, because ${max_ms / 60_000} minutes are over`,
    )
  console.log(
    `${stops.length - left_out} stops; stopped after: ${counts}\nended before their stop: ${not_reached.join('; ') || 'none'}`,
  )
  expect(wrong, wrong.join('\n\n')).toEqual([])
  expect(fact_types.filter((type) => !stopped_at.has(type))).toEqual([])
}

/** One stop of each type, then a second of each, and so on. The commit draws them. */
function inTurns(stops: readonly PlannedStop[]): PlannedStop[] {
  const seed = seedOfCommit()
  const lot = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest('hex')
  const drawn = stops
    .map((planned) => ({
      planned,
      lot: lot(`${planned.scenario.name} ${JSON.stringify(planned.stop)}`),
    }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
  const turns = new Map<FactType, number>()
  return drawn
    .map(({ planned }) => {
      const turn = turns.get(planned.stop.type) ?? 0
      turns.set(planned.stop.type, turn + 1)
      return { planned, turn }
    })
    .sort((one, other) => one.turn - other.turn)
    .map(({ planned }) => planned)
}

function expectSameEnd(run: Run, { undisturbed }: PlannedStop, name: string): void {
  const its = aspectsOf(run.end)
  for (const [what, end] of Object.entries(aspectsOf(undisturbed.end))) {
    const message = `${what} ${JSON.stringify(its[what])}, undisturbed ${JSON.stringify(end)}: ${name}`
    expect(its[what], message).toEqual(end)
  }
  expect(run.bare_slots, `slots lost: ${name}`).toBeLessThanOrEqual(
    undisturbed.bare_slots + max_in_flight,
  )
  expect(run.puts, `bodies sent: ${name}`).toBeLessThanOrEqual(undisturbed.puts + max_in_flight)
}

/** Splits the state into aspects, so that a failure shows only the one that differs. */
function aspectsOf({ prompt, ...others }: End): Record<string, unknown> {
  return { ...others, ...prompt }
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await run(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: runs_at_once }, lane))
  return results
}
