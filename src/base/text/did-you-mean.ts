/** The candidate nearest to a mistyped word; undefined if none is near enough. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const plain = word.toLowerCase()
  let nearest: string | undefined
  // A third of the letters may be wrong, at least two: `max_file_size` for `max_file_bytes`.
  let min = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(plain, candidate.toLowerCase())
    if (distance < min && distance < candidate.length) {
      nearest = candidate
      min = distance
    }
  }
  return nearest
}

/** A hint for an unknown name: the nearest known one, or else a list of known ones after `all`. */
export function didYouMeanText(word: string, known: readonly string[], all: string): string {
  const meant = didYouMean(word, known)
  return meant === undefined ? `${all} ${known.slice(0, 20).join(', ')}` : `did you mean ${meant}?`
}

/** Begins a list of all names of a kind: `the prompts are`, `the only prompt is`. */
export function knownAre(kind: string, { length }: readonly string[]): string {
  return length === 1 ? `the only ${kind} is` : `the ${kind}s are`
}

/** Optimal string alignment: counts added, missing and changed letters, and swapped neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1
      let best = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + changed,
      )
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) best = Math.min(best, before[column - 2]! + 1)
      current.push(best)
    }
    before = above
    above = current
  }
  return above[b.length]!
}
