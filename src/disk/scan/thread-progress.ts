export type Progress = ReturnType<typeof createProgress>

/** A counter that a thread increases while it moves. Others read it without a message to it. */
export function createProgress() {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const counter = new Int32Array(shared)
  return { shared, read: () => Atomics.load(counter, 0) }
}

/** In the thread: adds one. A wrap is a change, too. */
export function countInto(shared: SharedArrayBuffer): () => void {
  const counter = new Int32Array(shared)
  return () => void Atomics.add(counter, 0, 1)
}
