import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Entry, fromBufferPromise } from 'yauzl'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'

/** A large workbook has hundreds of parts, a long e-book thousands. */
const max_entries = 20_000

export type Archive = Awaited<ReturnType<typeof openArchive>>

/** Opens a document that is a ZIP archive, and lists its parts (its files). */
export async function openArchive(bytes: Buffer, { unpacked_bytes }: ExtractLimits) {
  const zip = await fromBufferPromise(bytes, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
  })
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, entry)
    if (entries.size > max_entries)
      throw unreadable(`the archive has more than ${max_entries} parts`)
  }
  // The limit counts the bytes that are really unpacked: the sizes in an archive can be false.
  let left_bytes = unpacked_bytes

  /** Throws if the part is missing, encrypted or broken, or if all parts together are too large. */
  async function* stream(name: string): AsyncIterable<Buffer> {
    const entry = entries.get(name)
    if (!entry) throw unreadable(`broken: its part ${name} is missing`)
    if (entry.isEncrypted()) throw unreadable('encrypted')
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      left_bytes -= (chunk as Buffer).length
      if (left_bytes < 0) throw unreadable(`it unpacks to more than ${unpacked_bytes} bytes`)
      yield chunk as Buffer
    }
  }

  return {
    names: [...entries.keys()],
    has: (name: string) => entries.has(name),
    stream,
    read: (name: string) => buffer(stream(name)),
  }
}

/**
 * The XML parts of a folder of the archive, in the order of the number in their names: `sheet2.xml`
 * before `sheet10.xml`, and names without a number first.
 */
export function numberedParts(archive: Archive, folder: string): string[] {
  const number = (name: string) => Number(/(\d*)\.xml$/.exec(name)?.[1])
  return archive.names
    .filter((name) => name.endsWith('.xml') && posix.dirname(name) === folder)
    .sort((a, b) => number(a) - number(b))
}
