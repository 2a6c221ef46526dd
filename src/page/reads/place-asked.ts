import { askingPaths } from '../../base/files/ask-paths.ts'
import { type PathFacts, unknown } from '../../base/files/paths.ts'
import type { Config } from '../../config/config.ts'
import { findPlace, type Place } from '../../inspect/files/place.ts'
import { configFor, type Viewer } from '../access/viewer.ts'
import { pathAsked } from './path-asked.ts'

/**
 * A place in a folder that the user sees: FOLDER/PATH, or where it is on the disk. Undefined for
 * any other text. The disk is asked about the folders alone, so nothing outside of them is said.
 */
export function placeAsked(
  text: string,
  { config, viewer }: { config: Config; viewer: Viewer },
): Promise<Place | undefined> {
  const { folders } = configFor(config, viewer)
  const roots = folders.map(({ path }) => path)
  return askingPaths((paths) => {
    const look = (path: string): PathFacts =>
      roots.includes(path) ? paths.look(path) : { ...unknown, real: path }
    return findPlace(pathAsked(text), folders, '/', { look })
  })
}
