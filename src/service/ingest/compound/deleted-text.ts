/** The place in the header that names the pages with the formats of letters (MS-DOC 2.5.6). */
const formats_at = 0xfa
const page_bytes = 512
/** Marks letters as deleted while changes are followed. */
const deleted_mark = 0x0800
/** Bytes of a mark's value by the highest three bits of the mark. Of 6, the value says its own. */
const value_bytes = [1, 1, 2, 4, 2, 2, 0, 3]

/** The places of deleted text in the main stream of a Word document. */
export function deletedRanges(
  main: Buffer,
  table: Buffer,
): readonly (readonly [from: number, to: number])[] {
  const start = main.readUInt32LE(formats_at)
  const list = table.subarray(start, start + main.readUInt32LE(formats_at + 4))
  const count = Math.floor((list.length - 4) / 8)
  const found: (readonly [number, number])[] = []
  for (let index = 0; index < count; index++) {
    const number = list.readUInt32LE(4 * (count + 1 + index)) & 0x3f_ffff
    const page = main.subarray(number * page_bytes, (number + 1) * page_bytes)
    if (page.length === page_bytes) found.push(...deletedOn(page))
  }
  return found
}

function* deletedOn(page: Buffer): Generator<readonly [number, number]> {
  const runs = page[page_bytes - 1]!
  for (let run = 0; run < runs && 5 * run + 8 < page_bytes; run++) {
    const at = 2 * (page[4 * (runs + 1) + run] ?? 0)
    if (at > 0 && isDeleted(page.subarray(at + 1, at + 1 + page[at]!)))
      yield [page.readUInt32LE(4 * run), page.readUInt32LE(4 * run + 4)]
  }
}

function isDeleted(format: Buffer): boolean {
  for (let at = 0; at + 2 < format.length; ) {
    const mark = format.readUInt16LE(at)
    if (mark === deleted_mark) return (format[at + 2]! & 1) === 1
    const own = mark >> 13 === 6 ? 1 + format[at + 2]! : 0
    at += 2 + own + value_bytes[mark >> 13]!
  }
  return false
}
