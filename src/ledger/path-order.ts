/** In SQLite every text sorts before every blob: the end of the paths, whatever they are. */
export const after_all_paths = Buffer.alloc(0)

/** Byte order of UTF-8. JavaScript compares UTF-16 units, which differs where a surrogate meets a unit from U+E000 on. */
export function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return rank(x) < rank(y)
  }
  return a.length < b.length
}

/** Surrogates stand for code points above the whole Basic Multilingual Plane. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
