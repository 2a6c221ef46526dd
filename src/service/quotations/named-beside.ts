import { mentionsOf } from '../../base/text/mentions.ts'
import type { Quotation } from './find-quotations.ts'

/** A name of a file in an answer. Offsets in UTF-16 units. */
export interface Named {
  name: string
  from: number
  to: number
}

/** The names in the answer, in order; of two at one place the longer. */
export function findNames(answer: string, names: Iterable<string>): Named[] {
  const found = [...new Set(names)].flatMap((name) =>
    mentionsOf(answer, name).map((from) => ({ name, from, to: from + name.length })),
  )
  found.sort((one, other) => one.from - other.from || other.to - one.to)
  let end = 0
  return found.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** What may stand between two names that say the same. */
const joined = /^[\s,*_`&]*(?:(?:and|or|und|oder|sowie|et|y|e)\b)?[\s*_`[(]*$/i
/** What may stand between a quotation and the name of its source right behind it. */
const attributed =
  /^[\s.,;*_`>]*[([—–-][^\n()]{0,30}$|^[\s*_`>]*(?:\b(?:in|from|aus|laut)\b)?[\s*_`]*$/i

/**
 * The names of the file that a quotation is said to come from, the nearest first: as its source
 * right behind it, before it or after it in the same paragraph, or before it in the same section.
 * Empty: it stands beside no name.
 */
export function namedBeside(
  answer: string,
  quotation: Quotation,
  names: readonly Named[],
): Named[] {
  const { from, to } = quotation
  const inside = names.filter((name) => name.from >= from && name.to <= to)
  if (quotation.kind === 'blockquote' && inside.length > 0) return inside
  const before = names.filter((name) => name.to <= from)
  const after = names.filter((name) => name.from >= to)
  const source = after[0]
  if (source && attributed.test(answer.slice(to, source.from))) return [source]
  const paragraph = paragraphOf(answer, quotation)
  const near = before.filter((name) => name.from >= paragraph.from)
  if (near.length > 0) return withJoined(answer, near)
  if (source && source.to <= paragraph.to) return [source]
  const section = sectionStart(answer, from)
  return withJoined(
    answer,
    before.filter((name) => name.from >= section),
  )
}

function withJoined(answer: string, names: readonly Named[]): Named[] {
  const taken = names.slice(-1)
  for (const name of names.slice(0, -1).reverse()) {
    if (!joined.test(answer.slice(name.to, taken.at(-1)!.from))) break
    taken.push(name)
  }
  return taken
}

/** A blockquote belongs to the paragraph before it. */
function paragraphOf(answer: string, { kind, from, to }: Quotation): { from: number; to: number } {
  const text = kind === 'blockquote' ? answer.slice(0, from).trimEnd() : answer.slice(0, from)
  const breaks = [...text.matchAll(/\n[ \t]*(?:\n|(?=(?:[-*+]|\d+[.)])[ \t]))/g)]
  const end = answer.slice(to).search(/\n[ \t]*(?:\n|(?:[-*+]|\d+[.)])[ \t])/)
  const last = breaks.at(-1)
  return { from: last ? last.index + 1 : 0, to: end < 0 ? answer.length : to + end }
}

/** The beginning of the last heading before the offset, or of the text. */
function sectionStart(answer: string, offset: number): number {
  const headings = [
    ...answer.slice(0, offset).matchAll(/^(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*$)/gm),
  ]
  return headings.at(-1)?.index ?? 0
}
