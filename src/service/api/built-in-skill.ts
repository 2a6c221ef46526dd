import { every_file_skill } from '../../contract/every-file-skill.ts'
import type { SkillCreate } from '../../contract/messages/messages-resources.ts'
import type { Listing } from '../store/paging.ts'
import type { ResourceReach, ResourceRow } from '../store/store-resources.ts'

const fields = {
  name: every_file_skill,
  content:
    'Read every file in scope from its beginning to its end, in batches, and answer over all of them.',
  scope: 'project',
  category: 'skill',
  display_name: 'Read every file',
  description:
    'Of the service itself. The answer is followed by notes on each file, and says which files were not read.',
} as const satisfies SkillCreate

/** The number of the row, which is below those of all others: it is the last one of a list. */
const seq = 0

/** The skill that every project has. It is no row of the database (D-11). */
function rowOf({ project }: ResourceReach): ResourceRow {
  return {
    seq,
    id: 'skill_sluicereadeveryfile0',
    kind: 'skill',
    project,
    owner: null,
    unique_name: every_file_skill,
    enabled: 1,
    fields: JSON.stringify(fields),
    created_at_ms: 0,
    modified_at_ms: 0,
  }
}

/** Undefined for an id of another resource. */
export function builtInById(reach: ResourceReach, id: string): ResourceRow | undefined {
  const row = rowOf(reach)
  return reach.kind === 'skill' && id === row.id ? row : undefined
}

export function isBuiltIn(row: Pick<ResourceRow, 'seq'>): boolean {
  return row.seq === seq
}

/** A list of skills, newest first, with the built-in one at its end. */
export function withBuiltIn(
  listing: Listing<ResourceRow, number>,
  reach: ResourceReach,
): Listing<ResourceRow, number> {
  const last = rowOf(reach)
  return {
    ...listing,
    positionOf: (id) => (id === last.id ? seq : listing.positionOf(id)),
    rowsFrom(position, count, back) {
      if (position === seq && !back) return []
      const rows = listing.rowsFrom(position, count, back)
      return back || rows.length >= count ? rows : [...rows, last]
    },
  }
}
