import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { Phase, Scenario } from './scenarios.ts'
import type { World } from './world.ts'

const folder = {
  on_delete: 'remove',
  delete_grace_ms: '1s',
  on_change: 'remove_old',
  labels: ['team'],
}
const tree = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }

const outdated: Phase = {
  before(world) {
    world.write({ 'a.txt': 'a, second version' })
    world.remove('b.txt')
    world.move('c.txt', 'moved/c.txt')
  },
}

function later(ms: number, also: (world: World) => void = () => {}): Phase {
  return {
    before(world) {
      world.passTime(ms)
      also(world)
    },
  }
}

const failing = (status: number, world: World) =>
  world.service.injectFaults({ failures: [{ route: 'assets.delete', status, times: 1 }] })

/** Unused assets are removed whatever happens on the way; returning files are uploaded again. */
export const removal_scenarios: Scenario[] = [
  {
    name: 'old versions and deleted files are removed, and one comes back',
    tree,
    folder,
    phases: [
      {},
      outdated,
      later(minute_ms),
      later(minute_ms, (world) => world.write({ 'b.txt': 'b' })),
      // The ledger derives this fact in a claim. For a content that a file has, it has no effect.
      { facts_after: () => [{ type: 'removal_intended', content: 3 }] },
    ],
  },
  {
    name: 'the service cannot remove for a moment, and then can',
    tree,
    folder,
    phases: [
      { before: (world) => failing(500, world) },
      outdated,
      later(minute_ms),
      later(10 * minute_ms),
    ],
  },
  {
    name: 'the service does not support removal, and then does',
    tree,
    folder,
    phases: [
      { before: (world) => failing(405, world) },
      outdated,
      later(minute_ms),
      later(2 * day_ms),
    ],
  },
  {
    name: 'so many removals wait that a user must accept them',
    tree,
    folder,
    removal: { max_files: 0, max_percent: 0 },
    phases: [
      {},
      outdated,
      later(minute_ms),
      { facts: () => [{ type: 'removals_accepted', folder: 'docs', path: '' }] },
      later(minute_ms),
    ],
  },
]
