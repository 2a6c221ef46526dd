/**
 * Where the text has the name as a whole, in order: `data.txt` does not have `a.txt`. Offsets in
 * UTF-16 units. No text has an empty name, such as that of `reports/`.
 */
export function mentionsOf(text: string, name: string): number[] {
  const places: number[] = []
  if (name.trim() === '') return places
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at)
    const after = text.slice(at + name.length, at + name.length + 2)
    if (!/[\p{L}\p{N}_-]$/u.test(before) && !/^[\p{L}\p{N}_-]/u.test(after)) places.push(at)
  }
  return places
}
