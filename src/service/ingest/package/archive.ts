import { inflateRawSync } from 'node:zlib'
import { type Entry, fromBufferPromise, getFileNameLowLevel } from 'yauzl'
import {
  broken,
  type ExtractLimits,
  maxBytesAtOnce,
  unpacksTooMuch,
  unreadable,
} from '../extract-limits.ts'

/** A large workbook has hundreds of parts, a long e-book thousands. */
const max_entries = 20_000
/** To start a stream takes longer than to unpack a part of this size; larger ones need memory. */
const max_bytes_at_once = 1_048_576
/** As long as the pieces of a stream, so that as much is read of a part with broken text. */
const piece_bytes = 16_384
const deflated = 8

export type Archive = Awaited<ReturnType<typeof openArchive>>

/** Opens a document that is a ZIP archive, and lists its parts (its files). */
export async function openArchive(bytes: Buffer, limits: ExtractLimits) {
  const within = archiveWithin(bytes)
  const zip = await fromBufferPromise(within, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
    // The library refuses names that begin with a slash. Nothing is written to a path here.
    decodeStrings: false,
  })
  const entries = new Map<string, Entry>()
  const names: string[] = []
  for await (const entry of zip.eachEntry()) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
    if (!entries.has(keyOf(name))) names.push(withSlashes(name))
    entries.set(keyOf(name), entry)
    if (entries.size > max_entries)
      throw unreadable(`the archive has more than ${max_entries} parts`)
  }
  const folder = onlyFolder(names)
  for (const name of folder === '' ? [] : names) {
    const inner = name.slice(folder.length)
    entries.set(keyOf(inner), entries.get(keyOf(name))!)
  }
  // The limit counts the bytes that are really unpacked: the sizes in an archive can be false.
  let left_bytes = limits.unpacked_bytes

  /** Throws if the part is missing, encrypted or broken, or if all parts together are too large. */
  async function* stream(name: string): AsyncIterable<Buffer> {
    const entry = entries.get(keyOf(name))
    if (!entry) throw broken(`its part ${name} is missing`)
    if (entry.isEncrypted()) throw unreadable('encrypted')
    for await (const chunk of (await piecesOf(entry)) ?? (await zip.openReadStreamPromise(entry))) {
      left_bytes -= (chunk as Buffer).length
      if (left_bytes < 0) throw unpacksTooMuch(limits.unpacked_bytes)
      yield chunk as Buffer
    }
  }

  async function read(name: string): Promise<Buffer> {
    const pieces: Buffer[] = []
    let left_bytes = maxBytesAtOnce(limits)
    for await (const piece of stream(name)) {
      left_bytes -= piece.length
      if (left_bytes < 0) throw unpacksTooMuch(maxBytesAtOnce(limits))
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  /**
   * A small part, unpacked at once. Undefined for others and for a broken one: a stream says why.
   */
  async function piecesOf(entry: Entry): Promise<Iterable<Buffer> | undefined> {
    const { compressionMethod, compressedSize, uncompressedSize } = entry
    if (compressionMethod !== deflated || uncompressedSize > max_bytes_at_once) return undefined
    try {
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
      const packed = within.subarray(fileDataStart, fileDataStart + compressedSize)
      const unpacked = inflateRawSync(packed, { maxOutputLength: uncompressedSize })
      return unpacked.length === uncompressedSize ? inPieces(unpacked) : undefined
    } catch {
      return undefined
    }
  }

  return {
    /** In the order of the archive, with `/` between folders. */
    names: names.map((name) => name.slice(folder.length)),
    has: (name: string) => entries.has(keyOf(name)),
    stream,
    read,
  }
}

function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes)
}

/** What stands at the top of a document: in a folder, a program packed the folder as a whole. */
const top_part = /^([^/]+\/)(?:META-INF\/container\.xml|\[Content_Types\]\.xml|mimetype)$/

/** The folder that all parts stand in, with its slash; empty if they stand at the top. */
function onlyFolder(names: readonly string[]): string {
  const folder = names.map((name) => top_part.exec(name)?.[1]).find((found) => found) ?? ''
  return names.every((name) => name.startsWith(folder)) ? folder : ''
}

/**
 * Names of parts count without regard to case (ECMA-376 part 2, 6.2.2). Some programs write them
 * with the % escapes that references have.
 */
function keyOf(name: string): string {
  return unescapedPath(withSlashes(name)).toLowerCase()
}

/** A path with an invalid % escape is taken as it is: a literal per cent sign is not rare. */
export function unescapedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function withSlashes(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '')
}

/** The last record of an archive: its mark, and where it says how long the others are. */
const end_mark = 'PK\u0005\u0006'
const end_bytes = 22
/** Stands for a number that another record has (ZIP64). */
const elsewhere = 0xffff_ffff

/** Cuts off what servers and gateways put before and after an archive (APPNOTE 4.3.16). */
function archiveWithin(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(end_mark, undefined, 'latin1')
  if (end < 0 || end + end_bytes > bytes.length) return bytes
  const directory_bytes = bytes.readUInt32LE(end + 12)
  const directory_at = bytes.readUInt32LE(end + 16)
  const before = directory_at === elsewhere ? 0 : end - directory_bytes - directory_at
  const comment_bytes = bytes.readUInt16LE(end + 20)
  return bytes.subarray(Math.max(0, before), end + end_bytes + comment_bytes)
}
