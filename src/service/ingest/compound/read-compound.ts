import type { ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import type { FileToRead } from '../file-kind.ts'
import type { ReadInner } from '../inner-document.ts'
import type { PicturePages } from '../picture-pages.ts'
import { CompoundFile } from './compound-file.ts'

/** Streams of files that a program converts. Word's own can hold a workbook. */
const converted = [
  ['PowerPoint Document', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
] as const

/** Reads a compound file of old Office programs. Its streams show which kind it is. */
export async function readCompound(
  { bytes, pictures }: Pick<FileToRead, 'bytes'> & { pictures: PicturePages },
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const file = new CompoundFile(bytes)
  if (file.has('EncryptedPackage')) throw unreadable('encrypted')
  if (file.has('WordDocument')) return (await import('./old-word.ts')).extractOldWord(file, limits)
  if (file.has('__properties_version1.0'))
    return (await import('./outlook.ts')).readOutlook(bytes, file, limits, readInner)
  const kind = converted.find(([stream]) => file.has(stream))?.[1]
  if (kind) return readConverted(kind, pictures)
  throw unreadable('broken, or in a binary format that the service does not read')
}

/** The document that was read from what a program made of the file. */
function readConverted(kind: 'xls' | 'ppt', pictures: PicturePages): ReadDocument {
  const done = pictures.at(1)
  if (done?.fault === null) return JSON.parse(done.words)
  if (done) throw unreadable(done.fault)
  pictures.note(kind, [1])
  throw unreadable(`in the old format .${kind}, which only soffice reads`)
}
