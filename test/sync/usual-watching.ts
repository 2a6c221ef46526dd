import { constants } from '../../src/config/constants.ts'
import type { WatchingSettings } from '../../src/sync/watch-choice.ts'

export const watching: WatchingSettings = constants.watching
