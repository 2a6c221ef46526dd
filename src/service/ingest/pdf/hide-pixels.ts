import { type FileStream, streamsOf } from './file-streams.ts'

/**
 * Makes each picture of a PDF one of 2 × 2 raw pixels, in its place. Only its place on the page
 * matters, and to unpack a scanned page takes longer than to read a page of text. A pattern keeps
 * only a picture, because pdf.js follows patterns that paint themselves without end. Each change is
 * as long as what it replaces, so that all offsets in the file stay right.
 */
export function hidePixels(data: Uint8Array): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const pictures = new Set<string>()
  const patterns: FileStream[] = []
  for (const stream of streamsOf(bytes)) {
    if (stream.entries.get('/PatternType')?.value === '1') patterns.push(stream)
    if (stream.entries.get('/Subtype')?.value !== '/Image') continue
    pictures.add(stream.number)
    hidePicture(bytes, stream)
  }
  for (const pattern of patterns) {
    const { dictionary, from, to } = pattern
    const [, name, number = ''] = /\/XObject\s*<<\s*(\/\w+)\s+(\d+)\s/.exec(dictionary) ?? []
    dropFilter(bytes, pattern)
    bytes.fill(' ', from, to)
    const painting = pictures.has(number) ? `\n${name} Do` : '\n'
    if (from + painting.length < to) bytes.write(painting, from, 'latin1')
  }
}

/** A picture whose size stands in another object stays as it is. */
function hidePicture(bytes: Buffer, stream: FileStream): void {
  const sides = ['/Width', '/Height'].map((name) => stream.entries.get(name))
  if (sides.some((side) => side === undefined || side.is_reference)) return
  for (const side of sides) {
    if (side) bytes.write('2'.padEnd(side.value.length), side.value_at, 'latin1')
  }
  dropFilter(bytes, stream)
}

function dropFilter(bytes: Buffer, { entries }: FileStream): void {
  const filter = entries.get('/Filter')
  if (filter) bytes.write('/Filtex', filter.name_at, 'latin1')
}
