interface Ranked {
  asset: number
  /** Larger is better. */
  score: number
}

/** A second passage stands before the first of another file if it fits half again as well. */
const share_of_next = 2 / 3

/** Orders hits by how well they fit: one passage of a file before a second one of it. */
export function byFile<Hit extends Ranked>(hits: readonly Hit[]): Hit[] {
  const seen = new Map<number, number>()
  return hits
    .toSorted((one, other) => other.score - one.score)
    .map((hit) => {
      const before = seen.get(hit.asset) ?? 0
      seen.set(hit.asset, before + 1)
      return { hit, score: hit.score * share_of_next ** before }
    })
    .sort((one, other) => other.score - one.score)
    .map(({ hit }) => hit)
}

/**
 * Takes from each list by turns. Scores of several indexes cannot be compared: each counts how rare
 * a word is in its own files.
 */
export function byTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const taken: Item[] = []
  for (let at = 0; at < longest; at++) {
    for (const list of lists) if (at < list.length) taken.push(list[at]!)
  }
  return taken
}
