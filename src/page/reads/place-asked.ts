import { isAbsolute } from 'node:path'
import { askingPaths } from '../../base/files/ask-paths.ts'
import { type PathFacts, unknown } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import type { Config } from '../../config/config.ts'
import { behindDrive, pathFault } from '../../inspect/files/no-place.ts'
import { findPlace, type Place } from '../../inspect/files/place.ts'
import { configFor, seenBy, type Viewer } from '../access/viewer.ts'
import { knownAtEnd } from './known-at-end.ts'
import { pathAsked } from './path-asked.ts'

/**
 * A place in a folder that the user sees: FOLDER/PATH, where it is on the disk, or the known file
 * that a path of another machine ends in. Undefined for any other text, and for a pattern. The disk
 * is asked about the folders alone, so nothing outside of them is said. Error `usage.path` if
 * nothing can have this path.
 */
export async function placeAsked(
  text: string,
  { config, viewer }: { config: Config; viewer: Viewer },
): Promise<Place | undefined> {
  const { folders, state_dir } = configFor(config, viewer)
  const path = pathAsked(text)
  refuseNoPath(path)
  const rest = behindDrive(text)
  if (rest !== undefined) return knownAtEnd(rest, { state_dir, folders, sees: seenBy(viewer) })
  if (path.includes('*') && !isAbsolute(path)) return undefined
  const roots = folders.map(({ path }) => path)
  return askingPaths((paths) => {
    const look = (path: string): PathFacts =>
      roots.includes(path) ? paths.look(path) : { ...unknown, real: path }
    return findPlace(path, folders, '/', { look })
  })
}

/** Error `usage.path`: nothing can have this path. */
export function refuseNoPath(path: string): void {
  const fault = pathFault(path)
  if (fault !== undefined)
    throw new SluiceError({ code: 'usage.path', message: `this is no path: ${fault}` })
}
