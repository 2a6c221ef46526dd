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
  const has_escapes = answer.includes('\\')
  const found = [...new Set(names)].flatMap((name) =>
    spellingsOf(name, has_escapes).flatMap((spelling) =>
      mentionsOf(answer, spelling).map((from) => ({ name, from, to: from + spelling.length })),
    ),
  )
  found.sort((one, other) => one.from - other.from || other.to - one.to)
  let end = 0
  return found.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** Letters composed or not, without invisible signs, and with the marks of Markdown escaped. */
function spellingsOf(name: string, has_escapes: boolean): string[] {
  const visible = name.replace(/\p{Cf}+/gu, '')
  const forms = [
    name,
    ...[visible, name].flatMap((form) => [form.normalize('NFC'), form.normalize('NFD')]),
  ]
  const escaped = has_escapes ? forms.map((form) => form.replace(/[_*[\]~`]/g, '\\$&')) : []
  return [...new Set([...forms, ...escaped])]
}

/** What may stand between two names that say the same. */
const joined = /^[\s,*_`&]*(?:(?:and|or|und|oder|sowie|et|y|e)\b)?[\s*_`[(]*$/i
/** What stands between a quotation and its source in brackets. */
const cited = /^[\s.,;:*_`>]*[([][^\n()[\]]{0,30}$/
/** What may stand between a quotation and its source, or something new, in the same line. */
const followed =
  /^[ \t.,;*_`]*[—–-][^\n()]{0,30}$|^[ \t*_`]*(?:\b(?:in|from|aus|laut)\b)?[ \t*_`]*$/i
/** The source in a line of its own below a blockquote. */
const signed = /^\s*[—–][ \t*_`]*$/
const sentence_end = /[.!?…][)"”“»*_`]*\s/

/** An empty line, an item of a list and a row of a table begin a paragraph of their own. */
const paragraph_gap = /\n[ \t\r]*(?:\n|(?=(?:[-*+]|\d+[.)])[ \t]|\|))/g
const heading_line = /^(?:(#{1,6})[ \t].*|\*\*[^*\n]+\*\*[ \t]*$)/gm
/** A line in bold is a heading below all others. */
const bold_level = 7

interface Heading {
  from: number
  to: number
  level: number
}

/** Where names, paragraphs and headings of an answer stand; the answer may be long. */
export class Surroundings {
  readonly #answer: string
  readonly #names: readonly Named[]
  readonly #gaps: readonly { from: number }[]
  readonly #headings: readonly Heading[]

  /** `names`: as `findNames` finds them. */
  constructor(answer: string, names: readonly Named[]) {
    this.#answer = answer
    this.#names = names
    this.#gaps = [...answer.matchAll(paragraph_gap)].map(({ index }) => ({ from: index }))
    this.#headings = [...answer.matchAll(heading_line)].map(({ 0: line, 1: marks, index }) => {
      return { from: index, to: index + line.length, level: marks?.length ?? bold_level }
    })
  }

  /**
   * The names of the files that a quotation may come from, the likeliest first: its source in
   * brackets behind it, else names before it or after it in the same paragraph, else before it in
   * the same section, or in the headings above. Empty: it stands beside no name.
   */
  beside({ kind, from, to }: Quotation): Named[] {
    const first = firstFrom(this.#names, from)
    const next = firstFrom(this.#names, to)
    if (kind === 'blockquote' && next > first) return this.#names.slice(first, next)
    const paragraph = this.#paragraphOf({ kind, from, to })
    const near = this.#joinedBefore(first, paragraph.from)
    const source = this.#names[next]
    const between = source && this.#answer.slice(to, Math.min(source.from, to + max_between_chars))
    const is_signed = between !== undefined && signed.test(between)
    if (source && between !== undefined && (is_signed || source.to <= paragraph.to)) {
      if (near.length === 0 || cited.test(between)) return [source]
      // Whether it belongs to what stands before it or after it, only people can tell.
      const is_new =
        sentence_end.test(this.#answer.slice(near[0]!.to, from)) && !sentence_end.test(between)
      if (is_new) return [source, ...near]
      if (is_signed || followed.test(between)) return [...near, source]
    }
    return near.length > 0 ? near : this.#inSection(first, from)
  }

  /** The last name before the one at `end`, not before `from`, and those that it is joined to. */
  #joinedBefore(end: number, from: number): Named[] {
    const taken: Named[] = []
    for (let at = end - 1; at >= 0 && this.#names[at]!.from >= from; at--) {
      const name = this.#names[at]!
      const last = taken.at(-1)
      if (last && !joined.test(this.#answer.slice(name.to, last.from))) break
      taken.push(name)
    }
    return taken
  }

  /** A blockquote belongs to the paragraph before it. */
  #paragraphOf({ kind, from, to }: Omit<Quotation, 'text'>): { from: number; to: number } {
    let begin = from
    while (kind === 'blockquote' && begin > 0 && /\s/.test(this.#answer[begin - 1]!)) begin--
    const last = this.#gaps[firstFrom(this.#gaps, begin) - 1]
    const next = this.#gaps[firstFrom(this.#gaps, to)]
    return { from: last ? last.from + 1 : 0, to: next?.from ?? this.#answer.length }
  }

  #inSection(first: number, from: number): Named[] {
    let at = firstFrom(this.#headings, from) - 1
    const in_section = this.#joinedBefore(first, this.#headings[at]?.from ?? 0)
    if (in_section.length > 0) return in_section
    for (let { level } = this.#headings[at] ?? { level: 0 }; at >= 0 && level > 1; at--) {
      const heading = this.#headings[at]!
      if (heading.level >= level) continue
      level = heading.level
      const names = this.#joinedBefore(firstFrom(this.#names, heading.to), heading.from)
      if (names.length > 0) return names
    }
    return []
  }
}

/** More between a quotation and a name do not show what belongs to what. */
const max_between_chars = 2_000

/** The place of the first of these, which are in order, that does not begin before an offset. */
function firstFrom(things: readonly { from: number }[], offset: number): number {
  let low = 0
  let high = things.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (things[middle]!.from < offset) low = middle + 1
    else high = middle
  }
  return low
}
