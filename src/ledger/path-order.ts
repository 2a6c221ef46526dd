/** End of all paths: SQLite sorts every text before every blob. */
export const after_all_paths = Buffer.alloc(0)

/** Byte order of UTF-8. JavaScript compares UTF-16 units, where surrogates sort before U+E000. */
export function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return rank(x) < rank(y)
  }
  return a.length < b.length
}

/** Surrogates stand for code points above the Basic Multilingual Plane, so they come last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
