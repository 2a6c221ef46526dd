import { world } from '../world/world.ts'
import { filesOnDisk } from './disk-acts.ts'

const second = 1_000
const minute = 60 * second

/**
 * Time within which a returned file is reported; while faults are in force, a scan finds it within
 * the second time.
 */
const heard_ms = 30 * second
const scanned_ms = 20 * minute

/** Reports the removal of an asset that a file needs, even one on an offline disk. */
export function holdAgainstDisk(asset_id: string, md5: string | undefined): void {
  const patience_ms = world.wasTroubled(scanned_ms) ? scanned_ms : heard_ms
  for (const [name, md5_there] of world.asSim(filesOnDisk)) {
    const since_ms = world.at_ms - (world.changed_ms.get(name) ?? 0)
    if (md5_there === md5 && since_ms > patience_ms)
      world.broken.push(`at ${world.at_ms} ms: ${asset_id} was removed, and ${name} needs it`)
  }
}
