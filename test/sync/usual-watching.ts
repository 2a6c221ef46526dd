import { watching_schema } from '../../src/config/schema-watching.ts'
import type { WatchingSettings } from '../../src/sync/watch-choice.ts'

/** The section `watching` as it is when the file says nothing. */
export const watching: WatchingSettings = watching_schema.parse({})
