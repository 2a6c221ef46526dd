/*
 * A root's identity is a text, `WHAT@BORN#ID`, in the ledger. WHAT is the root's inode, or the size
 * of a filesystem with made-up inodes. BORN is its birth; empty if unknown. ID is the filesystem's
 * own id, if any (filesystems.ts). A root without any of these has no identity.
 */

/** `unsaid`: only a comparison of their files can decide. */
type Likeness = 'same' | 'other' | 'unsaid'

interface RootTraits {
  what: string
  born: string
  /** With a `~` at its end: a different one proves nothing. */
  filesystem_id: string | undefined
}

/**
 * False if anything speaks against one and the same root; its files may still show that it is. The
 * kernel reuses device numbers, and every ext4 root has inode 2: birth and id distinguish them.
 */
export function isSameRoot(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return true
  const known = traitsOf(a)
  const now = traitsOf(b)
  return (
    known.what === now.what &&
    agree(known.born, now.born) &&
    agree(known.filesystem_id, now.filesystem_id)
  )
}

/** Compares a root with the known one. Only the ids of both filesystems allow `same` or `other`. */
export function likeness(known: string | undefined, now: string | undefined): Likeness {
  if (known === undefined || now === undefined) return 'unsaid'
  const id = traitsOf(known).filesystem_id
  const id_now = traitsOf(now).filesystem_id
  if (!id || !id_now) return 'unsaid'
  if (id !== id_now) return id.endsWith('~') || id_now.endsWith('~') ? 'unsaid' : 'other'
  return isSameRoot(known, now) ? 'same' : 'unsaid'
}

/** The identity to remember: the known one if it agrees and the id could not be read now. */
export function withKnownId(
  known: string | undefined,
  now: string | undefined,
): string | undefined {
  if (known === undefined || now === undefined || traitsOf(now).filesystem_id !== undefined)
    return now
  return traitsOf(known).filesystem_id !== undefined && isSameRoot(known, now) ? known : now
}

function traitsOf(identity: string): RootTraits {
  const [what_and_born = '', filesystem_id] = identity.split('#')
  const [what = '', born = ''] = what_and_born.split('@')
  return { what, born, filesystem_id }
}

/** An unknown value agrees with all. */
function agree(a: string | undefined, b: string | undefined): boolean {
  return !a || !b || a === b
}
