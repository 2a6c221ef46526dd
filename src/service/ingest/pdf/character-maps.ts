import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const maps_package = 'poppler-data'
/** Where the package puts them on Linux, a directory for each collection of characters. */
export const installed_maps = '/usr/share/poppler/cMap'

/**
 * The maps that give the characters of Chinese, Japanese and Korean fonts that are not in the file.
 * One reader for each document.
 */
export class CharacterMaps {
  /** A font of the document needed a map that this machine does not have. */
  is_one_missing = false
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** For pdf.js, which makes its source of data itself. */
  get factory() {
    const maps = this
    return function factory() {
      return maps
    }
  }

  /** pdf.js asks for data by kind. It asks only for names that it knows. */
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl') throw new Error(`no ${kind}`)
    for (const collection of await readdir(this.#directory).catch(() => [])) {
      try {
        return new Uint8Array(await readFile(join(this.#directory, collection, filename)))
      } catch {
        // Each map is in one of the directories.
      }
    }
    this.is_one_missing = true
    throw new Error(`no character map ${filename}`)
  }
}
