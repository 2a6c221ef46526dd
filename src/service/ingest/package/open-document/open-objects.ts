import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'

/** A chart repeats the numbers of its sheet; a formula, its source. */
const skipped = new Set(['annotation', 'automatic-styles', 'styles'])
/** Characters of the words of all objects. A report has some charts with a line of text each. */
const max_length = 1_000_000

/**
 * The words of charts and formulas, by the name of the folder that has them, such as `Object 1`.
 */
export async function readObjects(archive: Archive): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>()
  let left = max_length
  for (const part of archive.names) {
    const folder = /^(.+)\/content\.xml$/.exec(part)?.[1]
    if (folder === undefined || left <= 0) continue
    const words = (await wordsOfObject(archive, part)).slice(0, left)
    left -= words.length
    objects.set(folder, words)
  }
  return objects
}

async function wordsOfObject(archive: Archive, part: string): Promise<string> {
  const words: string[] = []
  await walkXml(archive, part, {
    open: (name, attributes) =>
      !skipped.has(name) && !(name === 'table-cell' && attributes['value-type'] === 'float'),
    text: (piece) => words.push(piece),
  })
  return words.join(' ').replace(/\s+/g, ' ').trim()
}
