import type { Archive } from '../archive.ts'
import { readOptional } from '../optional-part.ts'
import { walkXml } from '../xml.ts'

/** A chart repeats the numbers of its sheet; a formula, its source. */
const skipped = new Set(['annotation', 'automatic-styles', 'styles'])
/** Characters of the words of all objects. A report has some charts with a line of text each. */
const max_length = 1_000_000

/** A chart or a formula. */
export interface OpenObject {
  words: string
  /** Why it was not read to its end. */
  fault?: string
}

/** Charts and formulas by the name of the folder that has them, such as `Object 1`. */
export async function readObjects(archive: Archive): Promise<ReadonlyMap<string, OpenObject>> {
  const objects = new Map<string, OpenObject>()
  let left = max_length
  for (const part of archive.names) {
    const folder = /^(.+)\/content\.xml$/.exec(part)?.[1]
    if (folder === undefined) continue
    const object: OpenObject = { words: '' }
    objects.set(folder, object)
    if (left <= 0) continue
    const words: string[] = []
    const faults = {
      noteFault(fault: string) {
        object.fault = fault
      },
    }
    await readOptional(archive, [part], faults, () => addWordsOfObject(archive, part, words))
    object.words = words.join(' ').replace(/\s+/g, ' ').trim().slice(0, left)
    left -= object.words.length
  }
  return objects
}

async function addWordsOfObject(archive: Archive, part: string, words: string[]): Promise<void> {
  await walkXml(archive, part, {
    open: (name, attributes) =>
      !skipped.has(name) && !(name === 'table-cell' && attributes['value-type'] === 'float'),
    text: (piece) => words.push(piece),
  })
}
