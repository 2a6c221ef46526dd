import { constants } from '../../../src/config/schema/constants.ts'
import type { WatchingSettings } from '../../../src/sync/folder/watch-choice.ts'

export const watching: WatchingSettings = constants.watching
