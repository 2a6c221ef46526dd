import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'

/** Adds the texts of cells. One part has each text once, and cells refer to it by number. */
export async function readSharedStrings(
  archive: Archive,
  part: string,
  strings: string[],
): Promise<void> {
  let words = ''
  await walkXml(archive, part, {
    // Readings that stand above Asian letters are left out.
    open: (name) => name !== 'rPh',
    text(piece, name) {
      if (name === 't') words += piece
    },
    close(name) {
      if (name !== 'si') return
      strings.push(unescaped(words))
      words = ''
    },
  })
}

/**
 * Characters that XML cannot hold are written `_x000D_`, and such a text itself `_x005F_x000D_`.
 */
export function unescaped(words: string): string {
  return words.replace(/_x([\dA-F]{4})_/gi, (_, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return character < ' ' ? ' ' : character
  })
}
