import type { FoundFiles } from '../../src/sync/intake/found-files.ts'

/** A walk that reads no files. */
export const no_found_files: FoundFiles = {
  rule: undefined,
  take: () => ({ taken: new Set(), recorded: Promise.resolve() }),
  end() {},
}
