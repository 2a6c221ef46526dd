/** Bytes. The dictionary of a stream lies within this before and behind any of its words. */
const max_dictionary_bytes = 4_096

interface StreamOfFile {
  /** The number of its object. */
  number: string
  dictionary: string
  /** Where its dictionary and its content begin. */
  from: number
  content: number
}

/**
 * Makes each picture of a PDF one of 2 × 2 raw pixels, in its place. Only its place on the page
 * matters, and to unpack a scanned page takes longer than to read a page of text. A pattern keeps
 * only a picture, because pdf.js follows patterns that paint themselves without end.
 */
export function hidePixels(data: Uint8Array): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const pictures = new Set<string>()
  for (const { number, dictionary, from } of streamsWith(bytes, '/Image')) {
    if (!/\/Subtype\s*\/Image\b/.test(dictionary)) continue
    pictures.add(number)
    bytes.write(withoutPixels(dictionary), from, 'latin1')
  }
  for (const { dictionary, from, content } of streamsWith(bytes, '/PatternType')) {
    if (!/\/PatternType\s+1\b/.test(dictionary)) continue
    const [, name, number = ''] = /\/XObject\s*<<\s*(\/\w+)\s+(\d+)\s/.exec(dictionary) ?? []
    bytes.write(withoutFilter(dictionary), from, 'latin1')
    const end = bytes.indexOf('endstream', content)
    bytes.fill(' ', content, end < 0 ? undefined : end)
    const painting = pictures.has(number) ? `\n${name} Do` : '\n'
    if (content + painting.length < end) bytes.write(painting, content, 'latin1')
  }
}

function* streamsWith(bytes: Buffer, word: string): Generator<StreamOfFile> {
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) {
    const start = Math.max(0, at - max_dictionary_bytes)
    const before = bytes.toString('latin1', start, at)
    const dictionary_at = before.lastIndexOf('obj')
    const behind = bytes.subarray(at, at + max_dictionary_bytes).indexOf('stream')
    if (dictionary_at < 0 || behind < 0) continue
    const from = start + dictionary_at
    yield {
      number: /(\d+)\s+\d+\s+$/.exec(before.slice(0, dictionary_at))?.[1] ?? '',
      dictionary: bytes.toString('latin1', from, at + behind),
      from,
      content: at + behind + 'stream'.length,
    }
  }
}

/** As long as before, so that all offsets in the file stay right. */
function withoutPixels(dictionary: string): string {
  return withoutFilter(dictionary).replace(
    /(\/(?:Width|Height)\s+)(\d+)(?!\d|\s+\d+\s+R)/g,
    (_, name: string, digits: string) => `${name}${'2'.padEnd(digits.length)}`,
  )
}

function withoutFilter(dictionary: string): string {
  return dictionary.replace(/\/Filter\b/g, '/Filtex')
}
