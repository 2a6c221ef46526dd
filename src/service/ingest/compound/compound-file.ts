import { broken } from '../extract-limits.ts'

/** Places in the header and in an entry of a compound file (MS-CFB 2.2 and 2.6). */
const header = { shift: 30, table_sectors: 44, directory: 48, small_table: 60, more: 68, list: 76 }
const header_bytes = 512
const entry = { name_bytes: 64, type: 66, left: 68, right: 72, child: 76, start: 116, size: 120 }
const entry_bytes = 128
const storage_type = 1
const stream_type = 2
/** Streams below `small_stream_bytes` are in small sectors, which are in the stream of the root. */
const small_stream_bytes = 4_096
const small_bytes = 64

/** The streams of the first level. Names count without regard to case. */
export interface CompoundFile {
  names: readonly string[]
  has(name: string): boolean
  /** Empty if there is none. */
  read(name: string): Buffer
}

interface Entry {
  name: string
  type: number
  /** Numbers of entries beside it and below it; negative for none. */
  left: number
  right: number
  child: number
  start: number
  size: number
}

/**
 * Opens a compound file. Throws if its sectors or entries go in a circle, or if its streams are
 * larger than the file: a library would follow such chains until its memory is full.
 */
export function openCompound(bytes: Buffer): CompoundFile {
  const sectors = new Sectors(bytes)
  const table = sectors.chains(sectors.ofTable())
  const small = sectors.chains(table.from(bytes.readInt32LE(header.small_table)))
  const entries = entriesIn(sectors.read(table.from(bytes.readInt32LE(header.directory))))
  const isSmall = (one: Entry) => one !== entries[0] && one.size < small_stream_bytes
  const found = firstLevel(entries, bytes.length, (one) =>
    (isSmall(one) ? small : table).check(one.start),
  )
  return {
    names: [...found.keys()],
    has: (name) => found.has(name.toLowerCase()),
    read(name) {
      const one = found.get(name.toLowerCase())
      if (one === undefined) return Buffer.alloc(0)
      const { start, size } = one
      if (!isSmall(one)) return sectors.read(table.from(start)).subarray(0, size)
      const within = sectors.read(table.from(entries[0]!.start))
      const pieces = small.from(start).map((at) => small_bytes * at)
      return Buffer.concat(
        pieces.map((at) => within.subarray(at, at + small_bytes)),
        size,
      )
    },
  }
}

/** The sectors of a file. Those behind its end are empty. */
class Sectors {
  readonly #bytes: Buffer
  readonly #size: number

  constructor(bytes: Buffer) {
    const shift = bytes.length < header_bytes ? 0 : bytes.readUInt16LE(header.shift)
    if (shift !== 9 && shift !== 12) throw broken('a compound file without its header')
    this.#bytes = bytes
    this.#size = 1 << shift
  }

  read(sectors: readonly number[]): Buffer {
    return Buffer.concat(
      sectors.map((sector) => {
        const at = (sector + 1) * this.#size
        return this.#bytes.subarray(at, sector < 0 ? at : at + this.#size)
      }),
    )
  }

  chains(sectors: readonly number[]): Chains {
    return new Chains(numbersIn(this.read(sectors)))
  }

  /** The sectors of the table of all sectors: the header has the first ones, then a chain. */
  ofTable(): readonly number[] {
    const found = [...numbersIn(this.#bytes.subarray(header.list, header_bytes))]
    let at = this.#bytes.readInt32LE(header.more)
    for (let left = this.#bytes.readUInt32LE(header.more + 4); left > 0; left--) {
      const numbers = numbersIn(this.read([at]))
      if (numbers.length === 0 || found.length > this.#bytes.length) throw circle()
      found.push(...numbers.subarray(0, -1))
      at = numbers.at(-1)!
    }
    return found.slice(0, this.#bytes.readUInt32LE(header.table_sectors))
  }
}

function numbersIn(bytes: Buffer): Int32Array {
  return Int32Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readInt32LE(4 * at))
}

/** Chains of sectors: the next one of each. */
class Chains {
  readonly #next: Int32Array
  /** The check that came by, for each sector. */
  readonly #passed: Int32Array
  #checks = 0

  constructor(next: Int32Array) {
    this.#next = next
    this.#passed = new Int32Array(next.length)
  }

  /** Throws if a chain comes back to itself. One that goes on in another was checked with it. */
  check(first: number): void {
    const check = ++this.#checks
    for (let at = first; this.#passed[at] !== undefined; at = this.#next[at]!) {
      if (this.#passed[at] === check) throw circle()
      if (this.#passed[at] !== 0) return
      this.#passed[at] = check
    }
  }

  from(first: number): number[] {
    this.check(first)
    const chain: number[] = []
    for (let at = first; this.#next[at] !== undefined; at = this.#next[at]!) chain.push(at)
    return chain
  }
}

function circle(): Error {
  return broken('a compound file whose sectors go in a circle')
}

function entriesIn(directory: Buffer): readonly Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + entry_bytes <= directory.length; at += entry_bytes) {
    entries.push({
      name: directory.toString('utf16le', at, at + entry.name_bytes).split('\0', 1)[0]!,
      type: directory[at + entry.type]!,
      left: directory.readInt32LE(at + entry.left),
      right: directory.readInt32LE(at + entry.right),
      child: directory.readInt32LE(at + entry.child),
      start: directory.readInt32LE(at + entry.start),
      size: directory.readUInt32LE(at + entry.size),
    })
  }
  return entries
}

/**
 * The streams of the first level. Throws if the tree of entries has a circle, or if all streams
 * cannot be in the file.
 */
function firstLevel(
  entries: readonly Entry[],
  file_bytes: number,
  checkChain: (one: Entry) => void,
): ReadonlyMap<string, Entry> {
  const seen = new Set<Entry>()
  const found = new Map<string, Entry>()
  const waiting = [{ at: 0, level: 0 }]
  let stream_bytes = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, level } = next
    const one = entries[at]
    if (one === undefined) continue
    if (seen.has(one)) throw broken('a compound file whose entries go in a circle')
    seen.add(one)
    if (level === 1) found.set(one.name.toLowerCase(), one)
    waiting.push({ at: one.left, level }, { at: one.right, level })
    if (one.type !== stream_type) waiting.push({ at: one.child, level: level + 1 })
    else stream_bytes += one.size
    if (one.type !== storage_type) checkChain(one)
  }
  if (stream_bytes > file_bytes)
    throw broken('a compound file whose streams are larger than the file')
  return found
}
