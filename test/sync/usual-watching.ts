import { second_ms } from '../../src/base/time.ts'
import { watching_schema } from '../../src/config/schema-watching.ts'
import type { WatchingSettings } from '../../src/sync/watch-choice.ts'

/** The section `watching` as it is when the file says nothing. */
export const watching: WatchingSettings = watching_schema.parse({})

/** Where nothing is watched, a test need not wait for people. */
export const impatient: WatchingSettings = { ...watching, scan_least_ms: second_ms / 5, scan_most_ms: second_ms }
