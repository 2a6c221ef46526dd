import type { RunRefusal } from '../../domain/run.ts'
import type { UnreadyFile } from '../../ledger/prompt-work.ts'

/** The total is exact, and at most `named_most` are named. */
export interface NamedFiles {
  total: number
  files: { name: string; why?: string }[]
}

/** A thousand names tell a person that it is a matter of a folder, not of files; more would only make the manifest heavy. */
const named_most = 1_000

/** What is not ready of the files that a run is about. */
export interface Unready {
  lists: Record<UnreadyFile['stage'], NamedFiles>
  /** What the report tells as refused, and the ledger then knows as told: those that are named. The others are named next time. */
  refusals: RunRefusal[]
}

export function noUnready(): Unready {
  const none = () => ({ total: 0, files: [] })
  return {
    lists: { refused: none(), moving: none(), on_the_way: none(), blocked: none(), removed: none() },
    refusals: [],
  }
}

/**
 * Counts them as they are read, and keeps those alone that are named: an archive that has just been put in may have a million on
 * their way. Without refusals that are known. Being set aside or moving is of a file, all else of its content.
 */
export class UnreadyTally {
  readonly found = noUnready()
  readonly #seen = new ContentSet()

  add({ folder, path, stage, content, md5, size, why, told }: UnreadyFile): void {
    if (stage === 'refused' && told) return
    if (content !== undefined && stage !== 'moving' && stage !== 'blocked' && !this.#seen.add(content)) return
    const { lists, refusals } = this.found
    const name = `${folder}/${path}`
    const list = lists[stage]
    list.total++
    if (list.files.length < named_most) list.files.push({ name, ...(why === undefined ? {} : { why }) })
    if (stage !== 'refused' || content === undefined || md5 === undefined || refusals.length === named_most) return
    refusals.push({ content, md5, size, name, why: why ?? 'refused by the service' })
  }
}

/** Contents by the ledger's ids, a bit for each: a million of them take what a thousand objects take. */
export class ContentSet {
  #bits = new Uint8Array(1_024)
  size = 0

  /** False where it is in it already. */
  add(content: number): boolean {
    const at = Math.floor(content / 8)
    if (at >= this.#bits.length) this.#grow(at + 1)
    const bit = 1 << (content % 8)
    if ((this.#bits[at]! & bit) !== 0) return false
    this.#bits[at]! |= bit
    this.size++
    return true
  }

  has(content: number): boolean {
    return ((this.#bits[Math.floor(content / 8)] ?? 0) & (1 << (content % 8))) !== 0
  }

  #grow(least: number): void {
    const bits = new Uint8Array(Math.max(least, this.#bits.length * 2))
    bits.set(this.#bits)
    this.#bits = bits
  }
}
