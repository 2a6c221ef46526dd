import { hash } from 'node:crypto'
import { block_bytes, constants_at, inputs_at, lanes, md5_constants, md5Module, stateWordAt } from './md5-module.ts'

/** Hashes many small inputs; each is told by the number that it was given, when the others beside it are at their end, too. */
export interface ManyMd5s {
  /** Where the next input is to be put: as much room as the largest one needs. The same until the next `add`. */
  room(): Uint8Array
  /** What stands in the room now is an input of so many bytes. */
  add(bytes: number, number: number): void
  /** All that were added and not told yet, by `tell`. */
  finish(): void
}

/** In hex. */
export type TellMd5 = (number: number, md5: string) => void

/** To make the module takes a thread as much processor time as it saves with some thousand inputs; a small folder has fewer. */
const inputs_before_lanes = 2_000

/**
 * One after the other while there are few; then eight at a time where this processor and this Node can, which takes a quarter of the
 * time. Who walked much is ready at once for the next walk.
 */
export function createManyMd5s(largest_bytes: number, tell: TellMd5, one_by_one_first = inputs_before_lanes): ManyMd5s {
  const is_ready = kept?.largest_bytes === largest_bytes
  let many = (is_ready ? createSideBySide(largest_bytes, tell) : undefined) ?? createOneByOne(largest_bytes, tell)
  let until_lanes = is_ready ? 0 : one_by_one_first
  return {
    room: () => many.room(),
    add(bytes, number) {
      many.add(bytes, number)
      // Whoever hashes one by one has told all that was added.
      if (until_lanes > 0 && --until_lanes === 0) many = createSideBySide(largest_bytes, tell) ?? many
    },
    finish: () => many.finish(),
  }
}

/** Undefined where it cannot be done. */
export function createSideBySide(largest_bytes: number, tell: TellMd5): ManyMd5s | undefined {
  const run = startModule(largest_bytes)
  return run && createLanes(run, largest_bytes, tell)
}

export function createOneByOne(largest_bytes: number, tell: TellMd5): ManyMd5s {
  const room = new Uint8Array(largest_bytes)
  return {
    room: () => room,
    add: (bytes, number) => tell(number, hash('md5', room.subarray(0, bytes), 'hex')),
    finish() {},
  }
}

interface Md5Run {
  memory: { buffer: ArrayBuffer }
  /** The place of each lane, and how many blocks. */
  run(...numbers: number[]): void
}

/** As far as it is used here: the types of Node 20 leave it to those of browsers. */
declare const WebAssembly: {
  validate(module: Uint8Array): boolean
  Module: new (module: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

/** Of the thread, for walk after walk: V8 keeps 8 GB of addresses free around each memory until it clears up. */
let kept: { largest_bytes: number; run: Md5Run } | undefined

/** Undefined where vectors or WebAssembly are missing, or there is no room for its memory. */
function startModule(largest_bytes: number): Md5Run | undefined {
  if (kept?.largest_bytes === largest_bytes) return kept.run
  const module = md5Module(lanes * roomOf_bytes(largest_bytes))
  try {
    if (!is_little_endian || !WebAssembly.validate(module)) return undefined
    const run = new WebAssembly.Instance(new WebAssembly.Module(module)).exports as Md5Run
    if (!isRight((tell) => createLanes(run, largest_bytes, tell), largest_bytes)) return undefined
    kept = { largest_bytes, run }
    return run
  } catch {
    return undefined
  }
}

/**
 * Hashes some inputs, the shortest and the longest among them, as OpenSSL does. An engine or a processor that gets our module wrong would
 * keep files from going up for ever: what leaves is hashed by OpenSSL, and would always be found changed.
 */
export function isRight(create: (tell: TellMd5) => ManyMd5s, largest_bytes: number): boolean {
  const sizes = [0, 1, 55, 56, 63, 64, 119, 120, 1_000, 4_096, largest_bytes].filter((size) => size <= largest_bytes)
  const told: string[] = []
  const many = create((number, md5) => (told[number] = md5))
  const inputs = sizes.map((size) => Buffer.alloc(size, `${size} bytes. `))
  for (const [number, input] of inputs.entries()) {
    many.room().set(input)
    many.add(input.length, number)
  }
  many.finish()
  return inputs.every((input, number) => told[number] === hash('md5', input, 'hex'))
}

const is_little_endian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
const first_state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const
const length_bytes = 8
const md5_bytes = 16

interface Lane {
  /** Of its room in the memory. */
  at: number
  room: Uint8Array
  /** What is in work here; undefined: nothing. */
  input: { number: number; next_at: number; blocks: number } | undefined
}

function createLanes({ memory, run }: Md5Run, largest_bytes: number, tell: TellMd5): ManyMd5s {
  const room_bytes = roomOf_bytes(largest_bytes)
  const bytes_of = new Uint8Array(memory.buffer)
  const numbers_of = new Uint32Array(memory.buffer)
  numbers_of.set(md5_constants, constants_at / 4)
  const all = Array.from({ length: lanes }, (_, lane): Lane => {
    const at = inputs_at + lane * room_bytes
    return { at, room: bytes_of.subarray(at, at + largest_bytes), input: undefined }
  })
  const digest = new Uint32Array(md5_bytes / 4)
  const digest_bytes = Buffer.from(digest.buffer)
  let free = 0

  function begin(lane: number, bytes: number, number: number): void {
    const { at } = all[lane]!
    const blocks = blocksOf(bytes)
    const end = at + blocks * block_bytes
    bytes_of.fill(0, at + bytes, end)
    bytes_of[at + bytes] = 0x80
    // Up to half a GB one word holds the length in bits.
    numbers_of[(end - length_bytes) / 4] = bytes * 8
    for (const [word, value] of first_state.entries()) numbers_of[stateWordAt(lane, word) / 4] = value
    all[lane]!.input = { number, next_at: at, blocks }
  }

  function end(lane: number): void {
    for (let word = 0; word < digest.length; word++) digest[word] = numbers_of[stateWordAt(lane, word) / 4]!
    const { number } = all[lane]!.input!
    all[lane]!.input = undefined
    tell(number, digest_bytes.toString('hex'))
  }

  /** Takes all as far as the shortest goes. A lane without an input works on whatever stands in its room. */
  function advance(): void {
    let blocks = Number.POSITIVE_INFINITY
    for (const { input } of all) if (input !== undefined && input.blocks < blocks) blocks = input.blocks
    run(...all.map(({ at, input }) => input?.next_at ?? at), blocks)
    for (const [lane, { input }] of all.entries()) {
      if (input === undefined) continue
      input.blocks -= blocks
      input.next_at += blocks * block_bytes
      if (input.blocks === 0) end(lane)
    }
  }

  const freeLane = () => all.findIndex(({ input }) => input === undefined)

  return {
    room: () => all[free]!.room,
    add(bytes, number) {
      begin(free, bytes, number)
      free = freeLane()
      if (free >= 0) return
      advance()
      free = freeLane()
    },
    finish() {
      while (all.some(({ input }) => input !== undefined)) advance()
      free = 0
    },
  }
}

/** With what MD5 puts after each input: a bit, zeros, its length. */
function blocksOf(bytes: number): number {
  return Math.floor((bytes + length_bytes) / block_bytes) + 1
}

function roomOf_bytes(largest_bytes: number): number {
  return blocksOf(largest_bytes) * block_bytes
}
