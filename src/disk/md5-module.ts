/*
 * A WebAssembly module that takes eight inputs through MD5 (RFC 1321) side by side, one in each 32-bit lane of its vectors, which hold
 * four: two groups of them. Each step of MD5 waits for the one before it, so that a processor which could do several things at once does
 * one: eight inputs take little longer than one.
 *
 * It exports `memory`, and `run(at_0, … at_7, blocks)`: so many blocks of 64 bytes, for each lane from its place on, go into the
 * state. Who calls it lays out the memory: the constants at `constants_at`, 64 of 32 bits, and each lane's state where `stateWordAt`
 * says. Addresses in both are fixed, so that nothing is worked out for each.
 */
const state_at = 0
export const constants_at = 128
export const inputs_at = 1_024

export const block_bytes = 64
const lanes_a_group = 4
const groups = [0, 1] as const
export const lanes = lanes_a_group * groups.length
export const page_bytes = 65_536

const rotations = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const
/** Which of the sixteen words of a block a step takes, by round. */
const word_of = [
  (step: number) => step % 16,
  (step: number) => (5 * step + 1) % 16,
  (step: number) => (3 * step + 5) % 16,
  (step: number) => (7 * step) % 16,
] as const

/** Where the word of a lane's state stands, in bytes. */
export function stateWordAt(lane: number, word: number): number {
  return stateAt(Math.floor(lane / lanes_a_group), word) + 4 * (lane % lanes_a_group)
}

function stateAt(group: number, word: number): number {
  return state_at + 16 * (4 * group + word)
}

/**
 * In the last round the function is made without its last `not`, and subtracted instead of added: -x is `not x` and one more, which its
 * constants are less.
 */
const last_round = 3
export const md5_constants = Uint32Array.from({ length: 64 }, (_, step) => {
  const constant = Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32)
  return step >> 4 === last_round ? constant - 1 : constant
})

type Code = readonly number[]

// Locals: the places of the inputs and the blocks left are parameters; the vectors follow.
const [place, blocks_left] = [0, lanes]
const vectors = blocks_left + 1
const vectors_a_group = 8 + 16
const vectors_total = vectors_a_group * groups.length
const stateOf = (group: number, at: number) => vectors + vectors_a_group * group + at
const beforeOf = (group: number, at: number) => stateOf(group, at) + 4
const wordOf = (group: number, at: number) => stateOf(group, at) + 8

const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const i32 = (value: number): Code => [0x41, ...signedLeb(value)]
const simd = (operation: number, ...immediates: number[]): Code => [0xfd, ...leb(operation), ...immediates]
const load = (offset: number): Code => simd(0x00, 0, ...leb(offset))
const loadSplat = (offset: number): Code => simd(0x09, 2, ...leb(offset))
const store = (offset: number): Code => simd(0x0b, 0, ...leb(offset))
const [and, and_not, or, xor] = [simd(0x4e), simd(0x4f), simd(0x50), simd(0x51)]
const [shift_left, shift_right, add, subtract] = [simd(0xab), simd(0xad), simd(0xae), simd(0xb1)]
const shuffle = (...words: number[]): Code =>
  simd(0x0d, ...words.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]))

/** Words 0 to 3 are those of the first vector, 4 to 7 those of the second. */
const low_words = shuffle(0, 4, 1, 5)
const high_words = shuffle(2, 6, 3, 7)
const low_pairs = shuffle(0, 1, 4, 5)
const high_pairs = shuffle(2, 3, 6, 7)

/** Four words of each input become four vectors, each of one word of every input. */
function transpose(group: number, quarter: number): Code {
  const of = (lane: number): Code => [...get(place + lanes_a_group * group + lane), ...load(16 * quarter)]
  const pair = (a: number, b: number, half: Code): Code => [...of(a), ...of(b), ...half]
  const word = (half: Code, pairs: Code, at: number): Code => [
    ...pair(0, 1, half),
    ...pair(2, 3, half),
    ...pairs,
    ...set(wordOf(group, 4 * quarter + at)),
  ]
  return [
    ...word(low_words, low_pairs, 0),
    ...word(low_words, high_pairs, 1),
    ...word(high_words, low_pairs, 2),
    ...word(high_words, high_pairs, 3),
  ]
}

const mixing = [
  (b: Code, c: Code, d: Code): Code => [...c, ...d, ...xor, ...b, ...and, ...d, ...xor],
  (b: Code, c: Code, d: Code): Code => [...b, ...c, ...xor, ...d, ...and, ...c, ...xor],
  (b: Code, c: Code, d: Code): Code => [...c, ...d, ...xor, ...b, ...xor],
  (b: Code, c: Code, d: Code): Code => [...d, ...b, ...and_not, ...c, ...xor],
] as const

/** Of both groups, one beside the other: the second fills the time in which the first waits. */
function step(number: number): Code {
  const round = number >> 4
  const rotation = rotations[round]![number % 4]!
  const inGroups = (code: (a: number, b: number, c: number, d: number, group: number) => Code) =>
    groups.flatMap((group) => {
      const [a, b, c, d] = four.map((at) => stateOf(group, (at + 64 - number) % 4))
      return code(a!, b!, c!, d!, group)
    })
  return [
    ...inGroups((a, b, c, d, group) => [
      ...get(a),
      ...get(wordOf(group, word_of[round]!(number))),
      ...add,
      ...[...i32(0), ...loadSplat(constants_at + 4 * number)],
      ...add,
      ...mixing[round]!(get(b), get(c), get(d)),
      ...(round === last_round ? subtract : add),
      ...set(a),
    ]),
    ...inGroups((a, b) => [
      ...[...get(a), ...i32(rotation), ...shift_left],
      ...[...get(a), ...i32(32 - rotation), ...shift_right],
      ...or,
      ...get(b),
      ...add,
      ...set(a),
    ]),
  ]
}

const four = [0, 1, 2, 3] as const
const all_lanes = Array.from({ length: lanes }, (_, lane) => lane)
const inState = (code: (group: number, at: number) => Code): Code =>
  groups.flatMap((group) => four.flatMap((at) => code(group, at)))

const run: Code = [
  ...inState((group, at) => [...i32(0), ...load(stateAt(group, at)), ...set(stateOf(group, at))]),
  ...[0x03, 0x40],
  ...inState(transpose),
  ...inState((group, at) => [...get(stateOf(group, at)), ...set(beforeOf(group, at))]),
  ...Array.from({ length: 64 }, (_, number) => step(number)).flat(),
  ...inState((group, at) => [
    ...[...get(stateOf(group, at)), ...get(beforeOf(group, at)), ...add],
    ...set(stateOf(group, at)),
  ]),
  ...all_lanes.flatMap((lane) => [...get(place + lane), ...i32(block_bytes), 0x6a, ...set(place + lane)]),
  ...[...get(blocks_left), ...i32(1), 0x6b, 0x22, blocks_left],
  ...[0x0d, 0, 0x0b],
  ...inState((group, at) => [...i32(0), ...get(stateOf(group, at)), ...store(stateAt(group, at))]),
  0x0b,
]

/** `inputs_bytes`: what is needed of the memory from `inputs_at` on. */
export function md5Module(inputs_bytes: number): Uint8Array<ArrayBuffer> {
  const [number_type, vector_type] = [0x7f, 0x7b]
  const pages = Math.ceil((inputs_at + inputs_bytes) / page_bytes)
  const body = [1, ...leb(vectors_total), vector_type, ...run]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, lanes + 1, ...Array<number>(lanes + 1).fill(number_type), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, ...leb(pages), ...leb(pages)]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('run'), 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

function section(id: number, content: Code): Code {
  return [id, ...leb(content.length), ...content]
}

function name(text: string): Code {
  return [text.length, ...Buffer.from(text)]
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}

/** Of numbers that are not negative. */
function signedLeb(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signedLeb(value >>> 7)]
}
