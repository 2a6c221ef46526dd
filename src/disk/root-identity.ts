/*
 * What tells one folder's root from another is a text, `WHAT@BORN#ID`. WHAT is the inode of the root, or the size of a filesystem
 * that makes inodes up. BORN is when the root was made; empty where the system does not say. ID is the filesystem's own id, where
 * it has one (filesystem-id.ts). The ledger keeps the text; a root that says nothing at all has none.
 */

/** `unsaid`: the two may be the same by their files, and somebody has to compare these. */
export type Likeness = 'same' | 'other' | 'unsaid'

export interface RootTraits {
  what: string
  born: string
  /** With a `~` behind: another one says nothing. */
  filesystem_id: string | undefined
}

export function rootIdentity({ what, born, filesystem_id }: RootTraits): string {
  return `${what}@${born}${filesystem_id === undefined ? '' : `#${filesystem_id}`}`
}

/**
 * Whether nothing speaks against the same directory of the same disk. The kernel gives a device
 * number again to the next disk, and every ext4 has the inode 2 for its root: birth and id tell two
 * of them apart. Where the answer is no, the two may still be the same by their files.
 */
export function isSameRoot(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return true
  const [known, now] = [traitsOf(a), traitsOf(b)]
  return known.what === now.what && agree(known.born, now.born) && agree(known.filesystem_id, now.filesystem_id)
}

/** Whether the known root came back, after its folder was offline or its mount changed. */
export function likeness(known: string | undefined, now: string | undefined): Likeness {
  if (known === undefined || now === undefined) return 'unsaid'
  const [id, id_now] = [traitsOf(known).filesystem_id, traitsOf(now).filesystem_id]
  if (!id || !id_now) return 'unsaid'
  if (id !== id_now) return id.endsWith('~') || id_now.endsWith('~') ? 'unsaid' : 'other'
  return isSameRoot(known, now) ? 'same' : 'unsaid'
}

/**
 * What to remember of a root: its filesystem could not be asked for the id now, and the known one
 * still agrees.
 */
export function withKnownId(known: string | undefined, now: string | undefined): string | undefined {
  if (known === undefined || now === undefined || traitsOf(now).filesystem_id !== undefined) return now
  return traitsOf(known).filesystem_id !== undefined && isSameRoot(known, now) ? known : now
}

function traitsOf(identity: string): RootTraits {
  const [what_and_born = '', filesystem_id] = identity.split('#')
  const [what = '', born = ''] = what_and_born.split('@')
  return { what, born, filesystem_id }
}

/** One that is not known agrees with all. */
function agree(a: string | undefined, b: string | undefined): boolean {
  return !a || !b || a === b
}
