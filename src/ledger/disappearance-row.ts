import type { Disappearance, FoundThere } from '../domain/disappearance.ts'

/** As the columns of `folders` hold it. */
export function foundColumns(found: FoundThere | undefined) {
  if (found === undefined) return { device: null, identity: null, files: null }
  return { device: BigInt.asIntN(64, found.device), identity: found.identity ?? null, files: found.files }
}

/** Of a row with all its columns, as safe integers; a ledger of before version 7 says nothing of it. */
export function disappearanceOf(row: Record<string, unknown>): Disappearance | undefined {
  const { found_device: device, found_identity: identity, found_files: files } = row
  if (typeof device !== 'bigint' || typeof files !== 'bigint') return undefined
  const is_accepted = row.empty_accepted === 1n
  return { device, identity: (identity as string | null) ?? undefined, files: Number(files), is_accepted }
}
