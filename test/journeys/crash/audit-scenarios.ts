import type { Scenario } from './scenarios.ts'
import type { World } from './world.ts'

const audit_is_over = `EXISTS (SELECT 1 FROM audits WHERE last IS NOT NULL AND began_ms IS NULL AND wanted = 0)`
const nothing_is_underway = `NOT EXISTS (SELECT 1 FROM contents WHERE state NOT IN ('ready', 'refused'))`
const all_is_ready = `NOT EXISTS (SELECT 1 FROM contents WHERE state <> 'ready')`

/**
 * Restores the former status after the service has given this answer about one asset, or about all.
 */
function afterwards(world: World, place: 'assets.list' | 'assets.read', asset_id: string): void {
  const takeOff = world.service.on('end', (entry) => {
    if (entry.place !== place || (place === 'assets.read' && entry.asset_id !== asset_id)) return
    takeOff()
    world.setStatusThere(asset_id, 'ready')
  })
}

/** A daemon in watch mode that audits its assets. */
export const audit_scenarios: Scenario[] = [
  {
    name: 'the service loses some assets, and reads others again',
    tree: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd', 'e.txt': 'e', 'f.txt': 'f' },
    folder: { labels: ['team'] },
    watches: true,
    phases: [
      {},
      {
        async before(world) {
          await world.service.removeAsset(world.assetWith('a'))
          world.setStatusThere(world.assetWith('b'), 'ingesting')
          afterwards(world, 'assets.read', world.assetWith('b'))
          world.setStatusThere(world.assetWith('c'), 'failed')
          world.setStatusThere(world.assetWith('f'), 'failed')
          world.setStatusThere(world.assetWith('d'), 'ingesting')
          afterwards(world, 'assets.list', world.assetWith('d'))
        },
        facts: () => [{ type: 'audit_wanted' }],
        until: (world) => world.holds(`${audit_is_over} AND ${nothing_is_underway}`),
      },
      {
        before(world) {
          world.setStatusThere(world.assetWith('c'), 'ready')
          world.setStatusThere(world.assetWith('f'), 'ready')
        },
        // The first fact is recorded directly, the second comes from the list.
        facts: () => [{ type: 'asset_returned', content: 3 }, { type: 'audit_wanted' }],
        until: (world) => world.holds(`${audit_is_over} AND ${all_is_ready}`),
      },
    ],
  },
]
