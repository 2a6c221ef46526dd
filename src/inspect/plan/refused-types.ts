import { extensionOf, max_failed_of_type } from '../../domain/file-type.ts'
import { walkAssets } from '../../remote/assets.ts'
import type { Remote } from '../../remote/remote.ts'

/** Keys of the types that the service could not read so far; see `typeKey`. */
export type RefusedTypes = ReadonlySet<string>

/** Pages that are read of a project: 2,000 assets show its usual types. */
const max_pages = 20

export function typeKey(project_id: string, path: string): string {
  return `${project_id} ${extensionOf(path)}`
}

/**
 * The same from the newest assets of the service, for use without a ledger. If the service does not
 * answer, no type is known.
 */
export async function typesRefusedBy(
  remote: Remote,
  project_ids: readonly string[],
): Promise<RefusedTypes> {
  const refused: string[] = []
  for (const project_id of new Set(project_ids)) {
    const failed = new Map<string, number>()
    const usable = new Set<string>()
    for await (const listed of walkAssets(remote, project_id, max_pages)) {
      if (!listed.ok) break
      // All files come again. What is usable once is not counted, so it may stay.
      if (listed.value.is_anew) failed.clear()
      for (const { filename = '', status } of listed.value.items) {
        const key = typeKey(project_id, filename)
        if (status === 'failed') failed.set(key, (failed.get(key) ?? 0) + 1)
        else if (status === 'ready') usable.add(key)
      }
    }
    for (const [key, count] of failed)
      if (count >= max_failed_of_type && !usable.has(key)) refused.push(key)
  }
  return new Set(refused)
}
