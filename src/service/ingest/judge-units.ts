import type { AssetReading, ReadUnit } from '../../contract/messages/messages-assets.ts'
import { no_text } from './extract-limits.ts'

/** A page, slide, sheet or part of a document, as its reader found it. */
export interface UnitFound {
  /** Words of its own, at most `max_counted_words`: the name of a sheet or slide is none. */
  words: number
  /** The share of the page that its largest picture covers, 0 to 1. */
  picture_share: number
  /** Why it could not be read, to continue "page 3 …", such as `is encrypted`. */
  fault?: string | undefined
  /** `fault` is a clause of its own: it names what was not read. */
  is_named?: boolean
  /** A program recognised the words in its picture, or found nothing on it. */
  is_recognised?: boolean
}

/** Faults of a page whose words a program can recognise from its picture. */
export const as_shapes = 'is drawn as shapes'
export const unnamed_letters = 'is in a font that does not name its letters'

/** A picture below this share of a page is an illustration. */
const large_picture_share = 1 / 3
export const small_picture_share = 0.01
/** A picture of this share leaves no space for a text within the usual margins. */
export const full_page_share = 0.45
/** A page with more words says what its picture shows: photo slides and title pages are normal. */
const words_beside_picture = 20
export const max_counted_words = words_beside_picture + 1
/** Pages of one file that are recognised: 200 take about ten minutes of a processor. */
export const max_recognised = 200
/** So that the reason stays one line: a scan with text in between has many ranges. */
const max_ranges = 5
/** The same for reasons that name things: a mail can have many attachments. */
export const max_named = 5
const max_named_length = 300

/**
 * How much of a document was read. Undefined if it has no word of its own. A unit with nothing on
 * it counts as seen: the backs of pages are blank. Words beside pictures on each page are a part of
 * their own: with nothing seen, answers would leave out words that are known.
 */
export function readingOf(
  unit: ReadUnit,
  found: readonly UnitFound[],
): Omit<AssetReading, 'text_md5'> | undefined {
  if (found.every(({ words }) => words === 0)) return undefined
  const of = found.length
  const { unseen, why } = unseenOf(unit, found)
  if (unseen === 0) return { of, seen: of, unit }
  return unseen < of
    ? { of, seen: of - unseen, unit, why }
    : { of: of + 1, seen: 1, unit: 'part', why }
}

/** What is said of a document without a word of its own. */
export function whyWordless(unit: ReadUnit, found: readonly UnitFound[]): string {
  const [only, ...others] = found
  // It is the document: a number would say nothing.
  if (only?.fault !== undefined && !only.is_named && others.length === 0) return `it ${only.fault}`
  if (found.some(({ fault }) => fault !== undefined))
    return `${no_text}: ${unseenOf(unit, found).why}`
  return found.some(({ picture_share }) => picture_share > 0)
    ? `${no_text}, only pictures`
    : no_text
}

/** How many units were not seen, and why. */
function unseenOf(unit: ReadUnit, found: readonly UnitFound[]) {
  const missing = new Map<string, number[]>()
  const named: string[] = []
  for (const [index, one] of found.entries()) {
    const why = whyUnseen(one)
    if (why === undefined) continue
    if (one.is_named) named.push(why.slice(0, max_named_length))
    else missing.set(why, [...(missing.get(why) ?? []), index + 1])
  }
  const unseen = named.length + [...missing.values()].flat().length
  const texts = [...missing].map(([fault, numbers]) => missingText(unit, numbers, fault))
  texts.push(...named.slice(0, max_named))
  if (named.length > max_named) texts.push(`${named.length - max_named} ${unit}s more`)
  return { unseen, why: texts.join('; ') }
}

/** What is wrong with one unit; undefined if it was seen. */
function whyUnseen(unit: UnitFound): string | undefined {
  const { words, picture_share, fault, is_recognised = false } = unit
  if (is_recognised) return undefined
  if (fault !== undefined) return fault
  const is_picture = picture_share >= large_picture_share && words <= words_beside_picture
  return is_picture ? picture : undefined
}

const picture = 'is a picture'
const recognisable: ReadonlySet<string | undefined> = new Set([picture, as_shapes, unnamed_letters])

/** The numbers, from 1, of unseen units that a program can recognise. */
export function recognisableUnits(found: readonly UnitFound[]): number[] {
  return found.flatMap((unit, index) => (recognisable.has(whyUnseen(unit)) ? [index + 1] : []))
}

/** The units, of which only the first `max` that can be recognised still will be. */
export function withinRecognition(found: readonly UnitFound[], max: number): readonly UnitFound[] {
  const beyond = new Set(recognisableUnits(found).slice(max))
  const fault = `was not recognised: at most ${max_recognised} pages a file`
  return found.map((unit, index) => (beyond.has(index + 1) ? { ...unit, fault } : unit))
}

const plurals: Readonly<Record<string, string>> = {
  'is ': 'are ',
  'was ': 'were ',
  'has ': 'have ',
}

function missingText(unit: ReadUnit, numbers: readonly number[], fault: string): string {
  if (numbers.length === 1) return `${unit} ${numbers[0]} ${fault}`
  const many =
    fault === picture ? 'are pictures' : fault.replace(/^(is|was|has) /, (word) => plurals[word]!)
  return `${unit}s ${rangesText(numbers)} ${many}`
}

/** `2–10, 12 and 14`; after `max_ranges` ranges, how many numbers more there are. */
function rangesText(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last && last.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  const named = ranges.slice(0, max_ranges)
  const left = ranges.slice(max_ranges).reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const texts = named.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  const last = left > 0 ? `${left} more` : texts.pop()
  return texts.length === 0 ? `${last}` : `${texts.join(', ')} and ${last}`
}
