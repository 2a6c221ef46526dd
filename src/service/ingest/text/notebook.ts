import type { DocumentText } from '../document-text.ts'
import { broken } from '../extract-limits.ts'

/** True for a notebook of Jupyter. */
export function isNotebook(text: string): boolean {
  return /^\s*\{\s*"(?:cells|metadata|nbformat|worksheets)/.test(text) && /"nbformat"/.test(text)
}

/** Adds the cells of a notebook and what they printed, without pictures and pages. */
export function addNotebook(json: string, text: DocumentText): void {
  for (const words of textsOf(json)) if (words.trim() !== '') text.add(`${words.trimEnd()}\n\n`)
}

function textsOf(json: string): readonly string[] {
  const notebook = notebookOf(json)
  try {
    const { cells, worksheets = [] } = notebook
    return (cells ?? worksheets.flatMap((one: Fields) => one.cells)).flatMap(textsOfCell)
  } catch {
    throw broken('a notebook whose cells have another form')
  }
}

/** Fields of any form, which other versions of the program and hostile files have. */
// biome-ignore lint/suspicious/noExplicitAny: what has another form throws, and is broken
type Fields = any

/** `input` is the name of `source` in version 3. */
function textsOfCell({ source, input, outputs = [] }: Fields): readonly string[] {
  const printed = outputs.flatMap(({ text, data = {}, evalue }: Fields) => [
    text ?? data['text/markdown'] ?? data['text/plain'],
    evalue,
  ])
  return [source ?? input, ...printed].map((lines) => [lines ?? []].flat().join(''))
}

function notebookOf(json: string): Fields {
  try {
    return JSON.parse(json)
  } catch {
    throw broken('a notebook that is no JSON')
  }
}
