import { SluiceError } from '../base/errors.ts'
import type { Thread } from '../base/thread.ts'
import type { NotHashed, PartAnswer, PartRequest, StreamRequest } from './examine-wire.ts'

/** An open file from its start to its end, and whether what was handed over has an md5. */
export interface Parts {
  readonly parts: number
  /** The next part, or what became of the file. Called so often as there are parts. */
  next(): Promise<Uint8Array | NotHashed>
  /** All parts together, after the last. */
  haveMd5(): Promise<boolean>
}

/**
 * Read and hashed in a thread ahead of who sends it, through memory that both see. Errors: `thread.*`.
 *
 * The memory of a part is used again when the part after the next one is asked for. Whoever asks keeps this: a part is asked for when
 * less than `most_held_bytes` of the ones before it is still held. So does undici (client-h1.js, writeIterable): when the socket says
 * that it holds its mark or more, it waits until the socket holds nothing at all before it asks again; what is cut into pieces smaller
 * than the mark (sync/bandwidth.ts) leaves less than a mark behind. Parts are longer than the mark, the last one too, so when part k + 2
 * is asked for, what the socket still holds is of part k + 1. Who keeps a part for longer copies it.
 */
export interface ReadAhead extends Parts {
  /**
   * When it is over, nothing reads from the descriptor any more. Called once the connection that took the parts has ended or taken
   * them all: others get the memory.
   */
  close(): Promise<void>
}

/** What a socket may still hold of earlier parts: its high-water mark, 64 KiB for TCP and 16 KiB for TLS in undici (connect.js). */
export const most_held_bytes = 65_536
/** Takes longer to go out than the messages that it costs; four of them are little memory. */
export const most_part_bytes = 524_288
/** One goes out, one may still be held by the socket, one is there for the next call, and one is being read. */
const parts_in_room = 4
/** Smaller ones are over before reading ahead pays for the memory; they have parts enough to go round. */
export const read_ahead_bytes = 2 * parts_in_room * most_part_bytes

/**
 * Memory for the parts of one file at a time. Threads see it, so V8 does not count it as anybody's and would be late to clear it up, by
 * hundreds of megabytes: what was used is used again, and never given up. There are as many as large files were sent at once.
 */
export class Rooms {
  readonly #spare: SharedArrayBuffer[] = []

  take(): SharedArrayBuffer {
    return this.#spare.pop() ?? new SharedArrayBuffer(parts_in_room * most_part_bytes)
  }

  giveBack(room: SharedArrayBuffer): void {
    this.#spare.push(room)
  }
}

let last_id = 0

interface OpenFile {
  descriptor: number
  /** Bytes, more than none. */
  size: number
  md5: string
  /** Of the bytes that have this md5, where it is known (proof.ts): then that is compared, in a tenth of the time. */
  proof: string | undefined
}

/** `onEnd`: the thread has nothing to do with it any more, or has failed. */
export function readAhead(
  { thread, rooms, onEnd }: { thread: Thread; rooms: Rooms; onEnd: (error?: unknown) => void },
  { descriptor, size, md5, proof }: OpenFile,
): ReadAhead {
  const id = ++last_id
  const shared = rooms.take()
  const parts = Math.ceil(size / most_part_bytes)
  const asked: Promise<PartAnswer>[] = []
  let handed = 0
  let ended: Promise<string> | undefined
  let closed: Promise<void> | undefined
  const begun = thread.call<void>('beginStream', {
    id,
    digest: proof === undefined ? 'md5' : 'proof',
    descriptor,
    shared,
  } satisfies StreamRequest)
  begun.catch(() => {})

  function ask(index: number): void {
    const position = startOf(index)
    const length = startOf(index + 1) - position
    const offset = (index % parts_in_room) * most_part_bytes
    const answer = thread.call<PartAnswer>('readPart', { id, offset, position, length } satisfies PartRequest)
    // Whoever asks for it hears of it.
    answer.catch(() => {})
    asked.push(answer)
  }

  /** Cut so that no part is longer than another by more than a byte. */
  function startOf(index: number): number {
    return index * Math.floor(size / parts) + Math.min(index, size % parts)
  }

  const digest = () => (ended ??= thread.call<string>('endStream', { id }))

  async function close(): Promise<void> {
    const error = await digest().then(
      () => undefined,
      (error: unknown) => error,
    )
    // A thread that is dying may still have a read on its way into that memory.
    if (error === undefined) rooms.giveBack(shared)
    onEnd(error)
  }

  return {
    parts,
    async next() {
      if (closed)
        throw new SluiceError({ code: 'thread.ended', message: 'the file is closed, nothing more is read of it' })
      // The part before this one may still be held by a socket.
      while (asked.length < Math.min(parts, handed + parts_in_room - 1)) ask(asked.length)
      const index = handed++
      const answer = await asked[index]!
      if (answer !== 'read') return answer
      const offset = (index % parts_in_room) * most_part_bytes
      return new Uint8Array(shared, offset, startOf(index + 1) - startOf(index))
    },
    haveMd5: async () => (await digest()) === (proof ?? md5),
    close: () => (closed ??= close()),
  }
}
