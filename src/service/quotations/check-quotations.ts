import { listOf } from '../../base/run/group.ts'
import { findQuotations, isQuotation, markRanges, type Quotation } from './find-quotations.ts'
import { findNames, type Named, Surroundings } from './named-beside.ts'
import { folded, says } from './same-text.ts'

/** The files whose names an answer may have, and what they say. */
export interface FilesAtHand {
  /** Every name by which an answer may call a file: with its directories, and alone. */
  names: readonly string[]
  /** What the files of this name say; empty if no text is at hand. */
  texts(name: string): readonly string[]
}

/** `textOf`: empty without a text. Several files may have one name. */
export function filesAtHand(
  files: readonly { asset: number; names: readonly string[] }[],
  textOf: (asset: number) => string,
): FilesAtHand {
  const assets = new Map<string, number[]>()
  for (const { asset, names } of files) {
    for (const name of new Set(names)) listOf(assets, name).push(asset)
  }
  return {
    names: [...assets.keys()],
    texts: (name) => (assets.get(name) ?? []).map(textOf).filter((text) => text !== ''),
  }
}

export interface Checked {
  answer: string
  /** Number of quotations beside a name whose text is at hand. */
  checked: number
  /** How many of them are not in the file that they are said to come from. */
  not_found: number
}

/**
 * Checks each quotation of four words or more that stands beside a file's name (C-27). One that is
 * not in that file loses its marks, and "(not found in FILE)" follows it. Nothing else changes.
 */
export function checkQuotations(answer: string, files: FilesAtHand): Checked {
  const quotations = findQuotations(answer)
  if (quotations.length === 0) return { answer, checked: 0, not_found: 0 }
  const check = new QuotationCheck(answer, files)
  const verdicts = quotations.map((quotation) => ({ quotation, ...check.judge(quotation) }))
  const wrong = verdicts.flatMap(({ quotation, missing_in }) =>
    missing_in === undefined ? [] : [{ quotation, name: missing_in }],
  )
  const text = withEdits(
    answer,
    wrong.flatMap(({ quotation, name }) => [
      ...markRanges(answer, quotation).map((range) => ({ ...range, text: '' })),
      { from: quotation.to, to: quotation.to, text: ` (not found in ${name})` },
    ]),
  )
  return {
    answer: text,
    checked: verdicts.filter(({ is_checked }) => is_checked).length,
    not_found: wrong.length,
  }
}

class QuotationCheck {
  readonly #files: FilesAtHand
  readonly #named: readonly Named[]
  readonly #surroundings: Surroundings
  /** What the files of a name say, as `folded`; the texts may be long, so each is read once. */
  readonly #texts = new Map<string, string[]>()

  constructor(answer: string, files: FilesAtHand) {
    this.#files = files
    this.#named = findNames(answer, files.names)
    this.#surroundings = new Surroundings(answer, this.#named)
  }

  /** `missing_in`: the name beside it, if none of the files of the names beside it says it. */
  judge(quotation: Quotation): { is_checked: boolean; missing_in?: string } {
    const beside = this.#surroundings.beside(quotation)
    const texts = beside.flatMap(({ name }) => this.#textsOf(name))
    if (texts.length === 0) return { is_checked: false }
    const parts = partsOf(quotation, beside)
    const is_said = texts.some((text) => parts.every((part) => says(text, part)))
    return is_said ? { is_checked: true } : { is_checked: true, missing_in: beside[0]!.name }
  }

  #textsOf(name: string): string[] {
    const known = this.#texts.get(name)
    if (known) return known
    const texts = this.#files.texts(name).map(folded)
    this.#texts.set(name, texts)
    return texts
  }
}

/** A blockquote may have its source within. */
function partsOf({ kind, text }: Quotation, beside: readonly Named[]): string[] {
  if (kind === 'marks') return [text]
  const names = findNames(
    text,
    beside.map(({ name }) => name),
  )
  const parts = [...names, { from: text.length, to: text.length }].map(({ from }, at) =>
    text.slice(names[at - 1]?.to ?? 0, from),
  )
  const long = parts.filter(isQuotation)
  return long.length === 0 ? [text] : long
}

interface Edit {
  from: number
  to: number
  text: string
}

function withEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    parts.push(text.slice(at, edit.from), edit.text)
    at = edit.to
  }
  return [...parts, text.slice(at)].join('')
}
