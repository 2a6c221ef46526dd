import { createLog } from '../../../src/base/text/log.ts'
import { secretsOf } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import { until, within } from '../../rig/waiting.ts'
import { crashingLedger, Fate, type Moments, type Stop } from './crashing-ledger.ts'
import { bareSlots, type End, readEnd } from './end.ts'
import { type FactType, mayBeScripted } from './fact-types.ts'
import type { Phase, Scenario } from './scenarios.ts'
import { World } from './world.ts'

export interface Run {
  end: End
  /** Types in the order of their record. */
  facts: FactType[]
  bare_slots: number
  puts: number
  took_ms: number
  /** False if the run ended before the stop; then it proves nothing. */
  was_stopped: boolean
}

/** A pass takes a second or two; a pass that takes this long hangs. */
const max_pass_ms = 60_000
/** An abort of a daemon waits for nothing. */
const max_abort_ms = 30_000

/**
 * Runs a scenario to its end. With a stop, one life of the daemon ends there and another one
 * continues.
 */
export async function runScenario(scenario: Scenario, stop?: Stop): Promise<Run> {
  const began = performance.now()
  const world = await World.begin(scenario)
  try {
    const fate = new Fate(stop)
    const moments = scenario.moments?.(world) ?? {}
    for (const phase of scenario.phases) {
      await phase.before?.(world)
      const had_died = fate.isDead
      await live(world, phase, had_died ? new Fate() : fate, moments)
      if (fate.isDead && !had_died) await live(world, phase, new Fate(), moments)
    }
    const puts = world.service.requestLog.filter(({ place }) => place === 'put').length
    const was_stopped = stop !== undefined && fate.isDead
    const took_ms = performance.now() - began
    return {
      end: readEnd(world),
      facts: fate.facts,
      bare_slots: bareSlots(world),
      puts,
      took_ms,
      was_stopped,
    }
  } finally {
    await world.close()
  }
}

/** Runs one life of the daemon: for the whole phase, or until its stop. */
async function live(world: World, phase: Phase, fate: Fate, moments: Moments): Promise<void> {
  const lines: string[] = []
  let daemon: Daemon
  try {
    daemon = await within('the start', start(world, fate, moments, lines), max_pass_ms)
  } catch (error) {
    if (fate.isDead) return
    throw error
  }
  try {
    await within(
      'the pass',
      Promise.race([pass(daemon, world, phase, fate), fate.died]),
      max_pass_ms,
    )
    if (!fate.isDead) await within('the stop', daemon.stop(), max_abort_ms)
  } catch (error) {
    if (!fate.isDead) throw new Error(`${error}\n${lines.slice(-20).join('')}`, { cause: error })
  } finally {
    await within('the abort', daemon.abort(), max_abort_ms)
  }
}

function start(world: World, fate: Fate, moments: Moments, lines: string[]): Promise<Daemon> {
  return startDaemon({
    config: world.config(),
    secrets: secretsOf(world.token),
    clock: world.clock,
    log: createLog({
      level: 'debug',
      format: 'json',
      destination: { write: (text) => void lines.push(text) },
    }),
    mode: world.watches ? 'run' : 'once',
    wrap_ledger: (inner) => crashingLedger(inner, fate, moments),
  })
}

async function pass(daemon: Daemon, world: World, phase: Phase, fate: Fate): Promise<void> {
  if (world.watches) return watch(daemon, world, phase, fate)
  // The promise rejects with the ledger if the process dies while the facts are recorded.
  daemon.drained.catch(() => {})
  if (phase.facts) await record(daemon, phase.facts(world))
  const { why } = await daemon.drained
  if (why !== 'done') throw new Error(`the pass gave up: ${why}`)
  await daemon.idle()
  if (!phase.facts_after) return
  await record(daemon, phase.facts_after(world))
  await daemon.idle()
}

/** A daemon in watch mode does not end by itself. */
async function watch(
  daemon: Daemon,
  world: World,
  { facts, until: isOver }: Phase,
  fate: Fate,
): Promise<void> {
  await daemon.idle()
  if (facts) await record(daemon, facts(world))
  if (isOver)
    await until('the end of the phase', () => fate.isDead || isOver(world), undefined, 120_000)
  await daemon.idle()
}

async function record(daemon: Daemon, facts: Fact[]): Promise<void> {
  const own = facts.filter(({ type }) => !mayBeScripted(type))
  if (own.length > 0) throw new Error(`only the daemon records ${own[0]!.type}`)
  await daemon.ledger.record(facts)
}
