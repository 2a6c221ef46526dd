import { broken } from '../extract-limits.ts'

/** Places in the header and in an entry of a compound file (MS-CFB 2.2 and 2.6). */
const header = { shift: 30, table_sectors: 44, directory: 48, small_table: 60, more: 68, list: 76 }
const header_bytes = 512
const entry = { name_bytes: 64, type: 66, left: 68, right: 72, child: 76, start: 116, size: 120 }
const entry_bytes = 128
const stream_type = 2
/** Streams below `small_stream_bytes` are in small sectors, which are in the stream of the root. */
const small_stream_bytes = 4_096
const small_bytes = 64
/** All chains of a file of 1 GB have two million sectors. Hostile ones go the same way again. */
const max_steps = 20_000_000
const circle = 'a compound file whose sectors go in a circle'

/** The next sector of each one of a chain. */
type Table = Int32Array

interface Stream {
  start: number
  size: number
}

/**
 * The streams of the first level of a compound file; names count without regard to case. Opening
 * it throws if its sectors or entries go in a circle, or if its streams are larger than the file: a
 * library would follow such chains until its memory is full.
 */
export class CompoundFile {
  readonly #bytes: Buffer
  readonly #sector_bytes: number
  readonly #table: Table
  readonly #small_table: Table
  /** All small sectors. */
  readonly #small: Buffer
  readonly #streams = new Map<string, Stream>()
  #steps = 0

  constructor(bytes: Buffer) {
    const shift = bytes.length < header_bytes ? 0 : bytes.readUInt16LE(header.shift)
    if (shift !== 9 && shift !== 12) throw broken('a compound file without its header')
    this.#bytes = bytes
    this.#sector_bytes = 1 << shift
    this.#table = numbersIn(this.#sectors(this.#sectorsOfTable()))
    this.#small_table = numbersIn(this.#chain(bytes.readInt32LE(header.small_table)))
    const directory = this.#chain(bytes.readInt32LE(header.directory))
    this.#small = directory.length > 0 ? this.#chain(directory.readInt32LE(entry.start)) : directory
    this.#findStreams(directory)
  }

  get names(): readonly string[] {
    return [...this.#streams.keys()]
  }

  has(name: string): boolean {
    return this.#streams.has(name.toLowerCase())
  }

  /** Empty if there is none. */
  read(name: string): Buffer {
    const { start = -1, size = 0 } = this.#streams.get(name.toLowerCase()) ?? {}
    const is_small = size < small_stream_bytes
    const chain = is_small
      ? pieces(this.#small, this.#walk(this.#small_table, start), small_bytes)
      : this.#chain(start)
    return chain.subarray(0, size)
  }

  #chain(first: number): Buffer {
    return this.#sectors(this.#walk(this.#table, first))
  }

  #sectors(numbers: readonly number[]): Buffer {
    return pieces(this.#bytes.subarray(this.#sector_bytes), numbers, this.#sector_bytes)
  }

  #walk(table: Table, first: number): readonly number[] {
    const chain: number[] = []
    for (let at = first; table[at] !== undefined; at = table[at]!) {
      if (chain.push(at) > table.length || ++this.#steps > max_steps) throw broken(circle)
    }
    return chain
  }

  /** The header has the first sectors of the table of all sectors, then comes a chain. */
  #sectorsOfTable(): readonly number[] {
    const bytes = this.#bytes
    const found = [...numbersIn(bytes.subarray(header.list, header_bytes))]
    let at = bytes.readInt32LE(header.more)
    for (let left = bytes.readUInt32LE(header.more + 4); left > 0; left--) {
      const numbers = numbersIn(this.#sectors([at]))
      if (numbers.length === 0 || found.length > bytes.length) throw broken(circle)
      found.push(...numbers.subarray(0, -1))
      at = numbers.at(-1)!
    }
    return found.slice(0, bytes.readUInt32LE(header.table_sectors))
  }

  #findStreams(directory: Buffer): void {
    const seen = new Set<number>()
    const waiting = [{ at: 0, level: 0 }]
    let stream_bytes = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { at, level } = next
      const one = directory.subarray(Math.max(0, at) * entry_bytes)
      if (at < 0 || one.length < entry_bytes) continue
      if (seen.has(at)) throw broken('a compound file whose entries go in a circle')
      seen.add(at)
      const start = one.readInt32LE(entry.start)
      const size = one.readUInt32LE(entry.size)
      const [name = ''] = one.toString('utf16le', 0, entry.name_bytes).split('\0', 1)
      if (level === 1) this.#streams.set(name.toLowerCase(), { start, size })
      for (const side of [entry.left, entry.right])
        waiting.push({ at: one.readInt32LE(side), level })
      if (one[entry.type] === stream_type) {
        stream_bytes += size
        this.#walk(size < small_stream_bytes ? this.#small_table : this.#table, start)
      } else waiting.push({ at: one.readInt32LE(entry.child), level: level + 1 })
    }
    if (stream_bytes > this.#bytes.length)
      throw broken('a compound file whose streams are larger than the file')
  }
}

/** Those behind the end are empty. */
function pieces(bytes: Buffer, numbers: readonly number[], size: number): Buffer {
  const places = numbers.filter((number) => number >= 0).map((number) => number * size)
  return Buffer.concat(places.map((at) => bytes.subarray(at, at + size)))
}

function numbersIn(bytes: Buffer): Table {
  return Int32Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readInt32LE(4 * at))
}
