/** A pair of UTF-16 units that is one character. */
const pair = /[\ud800-\udbff][\udc00-\udfff]/g

/** Whether a text has so many characters: Unicode code points, as JSON Schema counts them (minLength, maxLength), not UTF-16 units. */
export function hasCharacters(text: string, least: number, most: number): boolean {
  // What is too long for any way of counting is not counted.
  if (text.length < least || text.length > 2 * most) return false
  const count = text.length - (text.match(pair)?.length ?? 0)
  return count >= least && count <= most
}
