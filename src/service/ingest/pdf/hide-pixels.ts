/** Bytes. The dictionary of a picture lies within this before and behind its type. */
const max_dictionary_bytes = 4_096

/**
 * Makes each picture of a PDF one of 2 × 2 raw pixels, in its place. Only its place on the page
 * matters, and to unpack a scanned page takes longer than to read a page of text.
 */
export function hidePixels(data: Uint8Array): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  for (let at = bytes.indexOf('/Image'); at >= 0; at = bytes.indexOf('/Image', at + 1)) {
    const before = bytes.subarray(Math.max(0, at - max_dictionary_bytes), at)
    const behind = bytes.subarray(at, at + max_dictionary_bytes).indexOf('stream')
    const start = at - before.length + before.lastIndexOf('obj')
    const dictionary = bytes.subarray(start, at + Math.max(0, behind)).toString('latin1')
    if (!/\/Subtype\s*\/Image\b/.test(dictionary)) continue
    bytes.write(withoutPixels(dictionary), start, 'latin1')
  }
}

/** As long as before, so that all offsets in the file stay right. */
function withoutPixels(dictionary: string): string {
  return dictionary
    .replace(
      /(\/(?:Width|Height)\s+)(\d+)(?!\d|\s+\d+\s+R)/g,
      (_, name: string, digits: string) => `${name}${'2'.padEnd(digits.length)}`,
    )
    .replace(/\/Filter\b/g, '/Filtex')
}
