import { posix } from 'node:path'
import type { DocumentText } from '../document-text.ts'
import { unreadable } from '../extract-limits.ts'
import { addHtml } from '../text/html.ts'
import type { Archive } from './archive.ts'
import { type Faults, readOptional } from './optional-part.ts'
import { decodedPath } from './relationships.ts'
import { decodeXml, walkXml, type XmlListener } from './xml.ts'

/**
 * Adds the chapters of an e-book in the order of its spine (the list of chapters to read). Its
 * table of contents repeats their headings, so it is left out.
 */
export async function extractEpub(archive: Archive, text: DocumentText): Promise<void> {
  const encrypted = await encryptedParts(archive, text)
  const spine = await spineOf(archive)
  const chapters = spine.filter(({ is_contents }) => !is_contents)
  for (const { part, is_picture } of chapters.length > 0 ? chapters : spine) {
    text.begin()
    if (encrypted.has(part)) throw unreadable('encrypted')
    if (is_picture) text.notePicture()
    else
      await readOptional(archive, [part], text, async () =>
        addHtml(decodeXml(await archive.read(part)), text, true),
      )
  }
}

interface Chapter {
  part: string
  is_contents: boolean
  is_picture: boolean
}

async function spineOf(archive: Archive): Promise<Chapter[]> {
  let package_file = ''
  await walkXml(archive, 'META-INF/container.xml', {
    open(name, attributes) {
      if (name === 'rootfile') package_file ||= attributes['full-path'] ?? ''
    },
  })
  const folder = posix.dirname(package_file)
  const items = new Map<string, Chapter>()
  const spine: string[] = []
  await walkXml(archive, package_file, {
    open(name, { id = '', href = '', properties = '', idref = '', 'media-type': type = '' }) {
      if (name === 'item')
        items.set(id, {
          part: posix.join(folder, decodedPath(href)),
          is_contents: properties.split(/\s+/).includes('nav'),
          // Those in SVG can have words.
          is_picture: /^image\/(?!svg)/.test(type),
        })
      if (name === 'itemref') spine.push(idref)
    },
  })
  return spine.flatMap((id) => items.get(id) ?? [])
}

/** The paths of the encrypted parts. Many e-books encrypt only their fonts and can be read. */
async function encryptedParts(archive: Archive, faults: Faults): Promise<ReadonlySet<string>> {
  const parts = new Set<string>()
  const list = 'META-INF/encryption.xml'
  if (!archive.has(list)) return parts
  const listener: XmlListener = {
    open(name, attributes) {
      if (name === 'CipherReference') parts.add(decodedPath(attributes.URI ?? ''))
    },
  }
  await readOptional(archive, [list], faults, () => walkXml(archive, list, listener))
  return parts
}
