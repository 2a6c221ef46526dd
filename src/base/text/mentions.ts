/**
 * Where the text has the name as a whole, in order: `data.txt` does not have `a.txt`. Offsets in
 * UTF-16 units. No text has an empty name, such as that of `reports/`.
 */
export function mentionsOf(text: string, name: string): number[] {
  const places: number[] = []
  if (name.trim() === '') return places
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (mayBegin(text, at) && mayEnd(text, at + name.length)) places.push(at)
  }
  return places
}

/** The line of an answer that says why a file was not read, or only in part. It is no mention. */
export function unreadLine(name: string, { is_part, why }: { is_part: boolean; why: string }) {
  return `- ${name}: ${is_part ? 'in part, ' : ''}${why}`
}

/** UTF-16 units by which names are told apart first. */
const max_key = 3

/**
 * Those of the names that the text has as a whole. It reads the text once: to look for ten thousand
 * names one by one in an answer of 1 MB takes seconds.
 */
export function namesIn(text: string, names: readonly string[]): Set<string> {
  const wanted = new Set(names.filter((name) => name.trim() !== ''))
  const found = new Set<string>()
  const key_length = [...wanted].reduce((min, { length }) => Math.min(min, length), max_key)
  const lengths = new Map<string, Set<number>>()
  for (const name of wanted) {
    const key = name.slice(0, key_length)
    lengths.set(key, (lengths.get(key) ?? new Set()).add(name.length))
  }
  for (let at = 0; at < text.length; at++) {
    const possible = lengths.get(text.slice(at, at + key_length))
    if (possible === undefined || !mayBegin(text, at)) continue
    for (const length of possible) {
      const name = text.slice(at, at + length)
      if (wanted.has(name) && mayEnd(text, at + length)) found.add(name)
    }
  }
  return found
}

function mayBegin(text: string, at: number): boolean {
  return !/[\p{L}\p{N}_-]$/u.test(text.slice(Math.max(0, at - 2), at))
}

function mayEnd(text: string, at: number): boolean {
  return !/^[\p{L}\p{N}_-]/u.test(text.slice(at, at + 2))
}
