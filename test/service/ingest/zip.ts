import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipPart {
  name: string
  content: string | Buffer
  /** Bit 0: encrypted. */
  flags?: number
  /** The unpacked size in the archive, where it is false. */
  said_bytes?: number
}

/** A ZIP archive as the tests need it, valid or not: PKWARE APPNOTE 4.3. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, flags = 0, said_bytes } of parts) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes, { level: 9 })
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(said_bytes ?? bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name)]),
    )
    files.push(file)
    at += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...files, list, Buffer.from('PK\x05\x06'), end])
}

/** The smallest word document with this content in its body. */
export function wordDocument(body: string, more: Partial<ZipPart> = {}, prolog = ''): Buffer {
  const content = `<?xml version="1.0"?>${prolog}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`
  return zipOf([{ name: 'word/document.xml', content, ...more }])
}
