import type { DocumentText } from '../document-text.ts'
import { broken } from '../extract-limits.ts'

/** Lines of text, as notebooks have them. */
type Lines = string | readonly string[] | undefined

interface Cell {
  source?: Lines
  /** The name of `source` in version 3. */
  input?: Lines
  outputs?: readonly Output[]
}

interface Output {
  text?: Lines
  data?: Readonly<Record<string, unknown>>
  evalue?: string
}

interface Notebook {
  cells?: readonly Cell[]
  worksheets?: readonly { cells?: readonly Cell[] }[]
}

/** True for a notebook of Jupyter. */
export function isNotebook(text: string): boolean {
  return /^\s*\{\s*"(?:cells|metadata|nbformat|worksheets)/.test(text) && /"nbformat"/.test(text)
}

/** Adds the cells of a notebook and what they printed, without pictures and pages. */
export function addNotebook(json: string, text: DocumentText): void {
  for (const words of textsOf(json)) if (words.trim() !== '') text.add(`${words.trimEnd()}\n\n`)
}

function textsOf(json: string): readonly string[] {
  const { cells, worksheets = [] } = notebookOf(json)
  try {
    return (cells ?? worksheets.flatMap((one) => one.cells ?? [])).flatMap(textsOfCell)
  } catch {
    throw broken('a notebook whose cells have another form')
  }
}

function textsOfCell({ source, input, outputs = [] }: Cell): readonly string[] {
  const printed = outputs.flatMap(({ text: lines, data = {}, evalue }) => [
    lines ?? (data['text/markdown'] as Lines) ?? (data['text/plain'] as Lines),
    evalue,
  ])
  return [source ?? input, ...printed].map((lines) =>
    typeof lines === 'string' ? lines : (lines ?? []).join(''),
  )
}

function notebookOf(json: string): Notebook {
  try {
    return JSON.parse(json)
  } catch {
    throw broken('a notebook that is no JSON')
  }
}
