import { posix } from 'node:path'
import type { DocumentText } from '../document-text.ts'
import { unreadable } from '../extract-limits.ts'
import { htmlToText } from '../text/html.ts'
import type { Archive } from './archive.ts'
import { decodedPath } from './relationships.ts'
import { decodeXml, walkXml } from './xml.ts'

/** Adds the chapters of an e-book in the order of its spine (the list of chapters to read). */
export async function extractEpub(archive: Archive, text: DocumentText): Promise<void> {
  const encrypted = await encryptedParts(archive)
  for (const chapter of await spineOf(archive)) {
    text.begin()
    if (encrypted.has(chapter)) throw unreadable('encrypted')
    text.add(htmlToText(decodeXml(await archive.read(chapter))))
    text.add('\n\n')
  }
}

async function spineOf(archive: Archive): Promise<string[]> {
  let package_file = ''
  await walkXml(archive.stream('META-INF/container.xml'), {
    open(name, attributes) {
      if (name === 'rootfile') package_file ||= attributes['full-path'] ?? ''
    },
  })
  const items = new Map<string, string>()
  const spine: string[] = []
  await walkXml(archive.stream(package_file), {
    open(name, { id = '', href = '', idref = '' }) {
      if (name === 'item') items.set(id, href)
      if (name === 'itemref') spine.push(idref)
    },
  })
  const folder = posix.dirname(package_file)
  return spine.flatMap((id) => {
    const href = items.get(id)
    return href === undefined ? [] : [posix.join(folder, decodedPath(href))]
  })
}

/** The paths of the encrypted parts. Many e-books encrypt only their fonts and can be read. */
async function encryptedParts(archive: Archive): Promise<ReadonlySet<string>> {
  const parts = new Set<string>()
  const list = 'META-INF/encryption.xml'
  if (!archive.has(list)) return parts
  await walkXml(archive.stream(list), {
    open(name, attributes) {
      if (name === 'CipherReference') parts.add(decodedPath(attributes.URI ?? ''))
    },
  })
  return parts
}
