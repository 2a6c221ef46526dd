import type { FoundFiles } from '../../src/sync/intake/found-files.ts'

/** A walk that reads nothing on its way. */
export const no_found_files: FoundFiles = {
  rule: undefined,
  take: () => ({ taken: new Set(), recorded: Promise.resolve() }),
  end() {},
}
