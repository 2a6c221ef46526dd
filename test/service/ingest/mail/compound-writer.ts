import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js'

/** Streams and folders by name. */
export interface Tree {
  [name: string]: Buffer | Tree
}

/** A compound file with these streams (MS-CFB). */
export function compoundOf(tree: Tree): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: 5, length: 0, children: [] }]
  add(tree, 0, entries)
  return Buffer.from(burn(entries))
}

function add(tree: Tree, parent: number, entries: Entry[]): void {
  for (const [name, content] of Object.entries(tree)) {
    const at = entries.length
    entries[parent]!.children!.push(at)
    if (Buffer.isBuffer(content)) {
      entries.push({
        name,
        type: 2,
        length: content.length,
        binaryProvider: () => new Uint8Array(content),
      })
    } else {
      entries.push({ name, type: 1, length: 0, children: [] })
      add(content, at, entries)
    }
  }
}

const text_type = '001F'
const bytes_type = '0102'
const old_text_type = '001E'

/** Streams of a message of Outlook by property: text is UTF-16 (MS-OXMSG 2.1). */
export function properties(values: Readonly<Record<string, string | Buffer>>): Tree {
  const streams = Object.entries(values).map(([id, value]) => [
    `__substg1.0_${id}${typeof value === 'string' ? text_type : bytes_type}`,
    Buffer.from(value as string, 'utf16le'),
  ])
  return Object.fromEntries(streams)
}

/** The same in an old character set. */
export function oldProperties(values: Readonly<Record<string, Buffer>>): Tree {
  const streams = Object.entries(values).map(([id, value]) => [
    `__substg1.0_${id}${old_text_type}`,
    value,
  ])
  return Object.fromEntries(streams)
}

/** The list of properties that are numbers: `header_bytes`, then each with its tag. */
export function numbers(
  header_bytes: number,
  values: readonly (readonly [tag: number, value: number])[] = [],
): Buffer {
  const list = Buffer.alloc(header_bytes + 16 * values.length)
  for (const [index, [tag, value]] of values.entries()) {
    list.writeUInt32LE(tag, header_bytes + 16 * index)
    list.writeUInt32LE(value, header_bytes + 16 * index + 8)
  }
  return list
}

/** A document of Word 97 with this text as its body, in one piece (MS-DOC 2.5). */
export function oldWordDocument(body: string, { flags = 0, version = 0xa5ec } = {}): Buffer {
  const text = Buffer.from(body, 'utf16le')
  const text_at = 0x400
  const main = Buffer.alloc(text_at + text.length)
  main.writeUInt16LE(version, 0)
  main.writeUInt16LE(flags, 0x0a)
  main.writeUInt32LE(body.length, 0x4c)
  main.writeUInt32LE(0, 0x1a2)
  main.writeUInt32LE(21, 0x1a6)
  text.copy(main, text_at)
  const table = Buffer.alloc(21)
  table[0] = 2
  table.writeUInt32LE(16, 1)
  table.writeUInt32LE(body.length, 9)
  table.writeUInt32LE(text_at, 15)
  return compoundOf({ WordDocument: main, '0Table': table })
}
