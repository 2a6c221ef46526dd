import { parentOf } from '../scan/directory-names.ts'

interface Place<Value> {
  /** undefined if only paths below have values. */
  value: Value | undefined
  /** Paths directly below. Most places have none: a set for each would be most of the memory. */
  below: Set<string> | undefined
}

/**
 * A map by relative path, '' for the root. Removing a path with all below costs only as much as it
 * removes. A removed tree is reported directory by directory: a search of the whole map for each
 * would block the daemon.
 */
export class PathTree<Value extends object> {
  readonly #places = new Map<string, Place<Value>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(path: string): Value | undefined {
    return this.#places.get(path)?.value
  }

  set(path: string, value: Value): void {
    const place = this.#placeAt(path)
    if (place.value === undefined) this.#size += 1
    place.value = value
  }

  /** Removes the path and all below it; answers what they had. */
  takeBranch(path: string): Value[] {
    const values: Value[] = []
    const waiting = [path]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const place = this.#places.get(next)
      if (place === undefined) continue
      this.#places.delete(next)
      if (place.value !== undefined) values.push(place.value)
      for (const below of place.below ?? []) waiting.push(below)
    }
    this.#size -= values.length
    if (path !== '') this.#places.get(parentOf(path))?.below?.delete(path)
    return values
  }

  /** In no particular order; nothing may be added or removed meanwhile. */
  *entries(): Generator<[path: string, value: Value]> {
    for (const [path, { value }] of this.#places) {
      if (value !== undefined) yield [path, value]
    }
  }

  #placeAt(path: string): Place<Value> {
    let place = this.#places.get(path)
    if (place === undefined) {
      place = { value: undefined, below: undefined }
      this.#places.set(path, place)
      if (path !== '') {
        const above = this.#placeAt(parentOf(path))
        above.below ??= new Set()
        above.below.add(path)
      }
    }
    return place
  }
}
