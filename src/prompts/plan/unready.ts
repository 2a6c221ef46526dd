import type { RunRefusal } from '../../domain/run.ts'
import type { UnreadyFile } from '../../ledger/prompt-work.ts'

/** The total is exact; at most `max_named` names are kept. */
export interface NamedFiles {
  total: number
  files: { name: string; why?: string }[]
}

/** A thousand names show that the folder is the problem; more would bloat the manifest. */
export const max_named = 1_000

/** Stands where the service gives no reason. */
const refused_by_service = 'refused by the service'

/** Files in the run's scope that are not ready. */
export interface Unready {
  lists: Record<UnreadyFile['stage'] | 'still_refused', NamedFiles>
  /** Refusals that the report names and thereby covers. Later reports name the others. */
  refusals: RunRefusal[]
}

export function noUnready(): Unready {
  const none = () => ({ total: 0, files: [] })
  return {
    lists: {
      refused: none(),
      /** Refused, and named in an earlier report. */
      still_refused: none(),
      moving: none(),
      on_the_way: none(),
      blocked: none(),
      removed: none(),
    },
    refusals: [],
  }
}

/**
 * Counts files while it reads them, and keeps only the named ones: a new archive may have a million
 * files not yet ready. Each content is refused once, in the list of refusals.
 */
export class UnreadyTally {
  readonly found = noUnready()
  readonly #refused = new ContentSet()

  add({ folder, path, stage, content, md5, size, why, covered }: UnreadyFile): void {
    const { lists, refusals } = this.found
    const name = `${folder}/${path}`
    const is_known = stage === 'refused' && covered
    const list = lists[is_known ? 'still_refused' : stage]
    list.total++
    if (list.files.length < max_named)
      list.files.push({ name, ...(why === undefined ? {} : { why }) })
    const is_full = refusals.length === max_named
    if (is_known || stage !== 'refused' || content === undefined || md5 === undefined || is_full)
      return
    if (!this.#refused.add(content)) return
    refusals.push({ content, md5, size, name, why: why ?? refused_by_service })
  }
}

/** A set of content ids, one bit each: a million need as much memory as a thousand objects. */
export class ContentSet {
  #bits = new Uint8Array(1_024)
  size = 0

  /** Returns false if the id is in the set already. */
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

  #grow(min: number): void {
    const bits = new Uint8Array(Math.max(min, this.#bits.length * 2))
    bits.set(this.#bits)
    this.#bits = bits
  }
}
