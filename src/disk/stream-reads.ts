import { createHash } from 'node:crypto'
import type { PartAnswer, PartRequest, StreamRequest } from './examine-wire.ts'
import { notOpened } from './inside.ts'
import { createProof } from './proof.ts'
import { fillLater } from './read-file.ts'

interface StreamRead {
  descriptor: number
  shared: Uint8Array
  add(bytes: Uint8Array): void
  /** In hex. */
  digest(): string
  /** Up to the last part that was asked for; false: the file ended first. */
  read: Promise<boolean>
  hashed: Promise<boolean>
}

/**
 * The side of the thread of files that are read ahead (read-ahead.ts): each part goes into the shared memory and into the digest before it is
 * handed over, the next one is read meanwhile.
 */
export function createStreamReads(proof_key: Uint8Array) {
  const streams = new Map<number, StreamRead>()

  return {
    begin({ id, digest, descriptor, shared }: StreamRequest): void {
      const nothing = Promise.resolve(true)
      const by = digest === 'md5' ? byMd5() : byProof(proof_key)
      streams.set(id, { descriptor, shared: new Uint8Array(shared), ...by, read: nothing, hashed: nothing })
    },
    async readPart({ id, offset, position, length }: PartRequest): Promise<PartAnswer> {
      const stream = streams.get(id)!
      const bytes = stream.shared.subarray(offset, offset + length)
      stream.read = stream.read.then(() => fillLater(stream.descriptor, bytes, position))
      // By way of `all` this comes after the reading of the next part has begun.
      stream.hashed = Promise.all([stream.read, stream.hashed]).then(([whole]) => {
        if (whole) stream.add(bytes)
        return whole
      })
      try {
        return (await stream.hashed) ? 'read' : { kind: 'changed' }
      } catch (error) {
        return notOpened(error)
      }
    },
    /** When it answers, nothing reads from the descriptor any more. The digest of all parts. */
    async end({ id }: { id: number }): Promise<string> {
      const stream = streams.get(id)!
      await stream.hashed.catch(() => {})
      streams.delete(id)
      return stream.digest()
    },
  }
}

function byMd5(): Pick<StreamRead, 'add' | 'digest'> {
  const md5 = createHash('md5')
  return { add: (bytes) => void md5.update(bytes), digest: () => md5.digest('hex') }
}

function byProof(key: Uint8Array): Pick<StreamRead, 'add' | 'digest'> {
  const proof = createProof(key)
  return { add: proof.update, digest: proof.digest }
}
