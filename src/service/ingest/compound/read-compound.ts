import type { ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import type { ReadInner } from '../inner-document.ts'
import { openCompound } from './compound-file.ts'

/** Reads a compound file of old Office programs. Its streams show which kind it is. */
export async function readCompound(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const file = openCompound(bytes)
  if (file.has('EncryptedPackage')) throw unreadable('encrypted')
  if (file.has('WordDocument')) return (await import('./old-word.ts')).extractOldWord(file, limits)
  if (file.has('__properties_version1.0'))
    return (await import('./outlook.ts')).readOutlook(bytes, file, limits, readInner)
  throw unreadable('in a binary format of Office programs before 2007')
}
