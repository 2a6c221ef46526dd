import { hasNothingToRead } from '../../domain/asset.ts'
import { extensionOf, max_failed_of_type } from '../../domain/file-type.ts'
import { walkAssets } from '../../remote/assets.ts'
import type { Remote } from '../../remote/remote.ts'

/**
 * The types of which the service has read no file so far, though it tried; by `typeKey`. No file
 * of a `refused` type is uploaded, those of an `unread` one are: its few failures may be chance. A
 * type that `rests` was refused several times alike, though others of it may be ready: one is
 * tried a day.
 */
export type UnreadTypes = ReadonlyMap<string, 'refused' | 'rests' | 'unread'>

/** Pages that are read of a project: 2,000 assets show its usual types. */
const max_pages = 20

export function typeKey(project_id: string, path: string): string {
  return `${project_id} ${extensionOf(path)}`
}

/**
 * The same from the newest assets of the service, for use without a ledger. If the service does not
 * answer, no type is known.
 */
export async function typesUnreadBy(
  remote: Remote,
  project_ids: readonly string[],
): Promise<UnreadTypes> {
  const types = new Map<string, 'refused' | 'unread'>()
  for (const project_id of new Set(project_ids)) {
    const failed = new Map<string, number>()
    const usable = new Set<string>()
    for await (const listed of walkAssets(remote, project_id, max_pages)) {
      if (!listed.ok) break
      // All files come again. What is usable once is not counted, so it may stay.
      if (listed.value.is_anew) failed.clear()
      for (const record of listed.value.items) {
        // A file without a word of its own says nothing about its type.
        if (hasNothingToRead(record)) continue
        const key = typeKey(project_id, record.filename ?? '')
        if (record.status === 'failed') failed.set(key, (failed.get(key) ?? 0) + 1)
        else if (record.status === 'ready') usable.add(key)
      }
    }
    for (const [key, count] of failed)
      if (!usable.has(key)) types.set(key, count < max_failed_of_type ? 'unread' : 'refused')
  }
  return types
}
