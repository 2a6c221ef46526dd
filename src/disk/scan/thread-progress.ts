export type Progress = ReturnType<typeof createProgress>

/** A number that a thread counts up while it moves, read from outside without asking it. `shared` goes to the thread with its data. */
export function createProgress() {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const counter = new Int32Array(shared)
  return { shared, read: () => Atomics.load(counter, 0) }
}

/** In the thread: counts up by one; it wraps, and that is a change as well. */
export function countInto(shared: SharedArrayBuffer): () => void {
  const counter = new Int32Array(shared)
  return () => void Atomics.add(counter, 0, 1)
}
