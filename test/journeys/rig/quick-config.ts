import { join } from 'node:path'
import type { Config } from '../../../src/config/config.ts'
import { configOf } from '../../rig/config-of.ts'

export type Fields = Record<string, unknown>

/** Sections of the configuration; later ones win field by field. */
export interface ConfigChange {
  service?: Fields
  folders?: Record<string, Fields>
  uploads?: Fields
  follow?: Fields
  scan?: Fields
  watching?: Fields
  prompts?: Fields[]
  audit?: Fields
  removal?: Fields
}

/** The real defaults wait for users and slow lines; a test need not. */
const quick = {
  uploads: { limit: 'off', min_resend_s: 0, concurrency: 4, retry_first_ms: 20, max_retry_ms: 200 },
  follow: { first_ms: 20, max_ms: 200, dead_hit_after_ms: 1_000 },
  audit: { pages_per_minute: 6_000 },
  watching: { root_check_ms: 500, scan_rest_ms: 200 },
}
const quick_folder = { settle_ms: 100 }

/** A configuration whose folders lie in `base`, each under its own name. */
export function quickConfig(
  places: { state_dir: string; base: string; home: string },
  ...changes: readonly ConfigChange[]
): Config {
  const section = (
    name: 'service' | 'uploads' | 'follow' | 'scan' | 'watching' | 'audit' | 'removal',
  ) =>
    Object.assign(
      {},
      ...[quick as ConfigChange, ...changes].map((change) => change[name]),
    ) as Fields
  const folders = changes.findLast((change) => change.folders)?.folders ?? {}
  const prompts = changes.findLast((change) => change.prompts)?.prompts ?? []
  return configOf(
    {
      service: section('service'),
      state_dir: places.state_dir,
      folders: Object.entries(folders).map(([name, fields]) => ({
        ...quick_folder,
        name,
        path: join(places.base, name),
        ...fields,
      })),
      folder: { settle_cap_ms: 5_000 },
      uploads: section('uploads'),
      follow: section('follow'),
      scan: section('scan'),
      watching: section('watching'),
      prompts,
      audit: section('audit'),
      // A second thread costs its start in every journey, and has nothing to do.
      // test/disk/read/examiner.test.ts uses several.
      hashing: { threads: 1 },
      removal: section('removal'),
    },
    { HOME: places.home },
  )
}
