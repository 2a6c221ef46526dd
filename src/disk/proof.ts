import { createCipheriv, randomBytes } from 'node:crypto'

/**
 * A digest by which one process tells that bytes it reads are the bytes that it read before: GMAC (NIST SP 800-38D), ten times as fast as
 * md5. Its polynomial has a degree of the length in blocks of 16 bytes: of two files of 4 GB that differ, one key in 2^100 takes one
 * for the other, and the key is drawn anew by each examiner. Neither it nor a digest leaves the process, so one nonce may serve for all: what
 * repeating it gives away, it gives to whoever sees digests. Worth nothing in another process, and stored nowhere.
 */
export interface Proof {
  update(bytes: Uint8Array): void
  /** 32 lower-case hex digits; once. */
  digest(): string
}

const algorithm = 'aes-128-gcm'
const key_bytes = 16
const nonce = Buffer.alloc(12)

export function newProofKey(): Uint8Array {
  return new Uint8Array(randomBytes(key_bytes))
}

export function createProof(key: Uint8Array): Proof {
  const cipher = createCipheriv(algorithm, key, nonce)
  return {
    update: (bytes) => void cipher.setAAD(bytes),
    digest() {
      cipher.final()
      return cipher.getAuthTag().toString('hex')
    },
  }
}

/** The last contents that were hashed; what is sent long after it was hashed is hashed once more, by md5. */
const most_known = 1_024

/** What proves that bytes are those of an md5, where they were read by both. */
export class KnownProofs {
  readonly #by_md5 = new Map<string, string>()

  learn(md5: string, proof: string): void {
    this.#by_md5.delete(md5)
    this.#by_md5.set(md5, proof)
    if (this.#by_md5.size > most_known) this.#by_md5.delete(this.#by_md5.keys().next().value!)
  }

  of(md5: string): string | undefined {
    return this.#by_md5.get(md5)
  }
}
