/** Characters of the file between two parts of a quotation with an ellipsis. */
const max_left_out_chars = 2_000

const left_out = /[[(<]?(?:…|\.{3,}|\. \. \.)[\])>]?|(?<=^|\n)\s*[-*+•][ \t]/

/**
 * True if the file says the quotation. Spacing, hyphens, quotation marks, emphasis and case do not
 * count. An ellipsis stands for what was left out, which is little, and so does the bullet of a
 * list. `folded_file`: of `folded`.
 */
export function says(folded_file: string, quotation: string): boolean {
  const parts = quotation
    .split(left_out)
    .map((part) => folded(part).replace(/^[.,;:!?]+|[.,;:!?]+$/g, ''))
    .filter((part) => part !== '')
  const [first, ...others] = parts
  if (first === undefined) return true
  for (let at = folded_file.indexOf(first); at >= 0; at = folded_file.indexOf(first, at + 1)) {
    if (goesOn(folded_file, at + first.length, others)) return true
  }
  return false
}

function goesOn(folded_file: string, from: number, parts: readonly string[]): boolean {
  let end = from
  for (const part of parts) {
    const near = folded_file.slice(end, end + max_left_out_chars + part.length)
    const at = near.indexOf(part)
    if (at < 0) return false
    end += at + part.length
  }
  return true
}

/** A text without what two spellings of the same words may differ in. */
export function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Pd}\p{Pi}\p{Pf}\p{Cf}−"'‚„`´*_|\\[\]]+/gu, '')
}
