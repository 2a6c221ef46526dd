/** Takes back what was done in memory for a transaction that did not commit. */
export class UndoLog {
  #steps: (() => void)[] = []

  push(step: () => void): void {
    this.#steps.push(step)
  }

  mark(): number {
    return this.#steps.length
  }

  /** Newest first, down to the mark. */
  backTo(mark: number): void {
    while (this.#steps.length > mark) this.#steps.pop()!()
  }

  forget(): void {
    this.#steps = []
  }
}

interface Claim {
  until_ms: number
  /** Bytes that will go out under this claim and are not counted as sent yet. */
  bytes: number
}

/** Who works on what. In memory: one process holds the ledger, and what it had claimed is free again when it ends. */
export class ClaimTable<Key> {
  readonly #claims = new Map<Key, Claim>()
  readonly #undo: UndoLog

  constructor(undo: UndoLog) {
    this.#undo = undo
  }

  get size(): number {
    return this.#claims.size
  }

  has(key: Key): boolean {
    return this.#claims.has(key)
  }

  claim(key: Key, until_ms: number, bytes = 0): void {
    this.#set(key, { until_ms, bytes })
  }

  end(key: Key): void {
    if (this.#claims.has(key)) this.#set(key, undefined)
  }

  clear(): void {
    for (const key of [...this.#claims.keys()]) this.end(key)
  }

  /** The bytes of this claim are out, and counted elsewhere; the claim itself goes on. */
  bytesAreOut(key: Key): void {
    const claim = this.#claims.get(key)
    if (claim) this.#set(key, { ...claim, bytes: 0 })
  }

  bytes(): number {
    let sum = 0
    for (const { bytes } of this.#claims.values()) sum += bytes
    return sum
  }

  /** Time alone ends these: nothing to take back. */
  expire(now_ms: number): void {
    for (const [key, { until_ms }] of this.#claims) if (until_ms <= now_ms) this.#claims.delete(key)
  }

  #set(key: Key, claim: Claim | undefined): void {
    const before = this.#claims.get(key)
    this.#undo.push(() => this.#put(key, before))
    this.#put(key, claim)
  }

  #put(key: Key, claim: Claim | undefined): void {
    if (claim) this.#claims.set(key, claim)
    else this.#claims.delete(key)
  }
}

/** Looks are claimed by folder and path. */
export function lookKey(folder: number, path: string): string {
  return `${folder} ${path}`
}
