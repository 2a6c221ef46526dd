import { minute_ms } from '../../base/time/time.ts'

/** Columns of tesseract's table: the place of a word by block, paragraph and line, and itself. */
const columns = { level: 0, block: 2, paragraph: 3, line: 4, confidence: 10, word: 11 } as const
const word_level = '5'
/** Percent. Below it stand the words that tesseract sees in trees and stains. */
const min_confidence = 40
/** Letters and digits of a page in doubt: a photo gives one or two by chance. */
const min_letters = 3

/** The words of a page from the table (TSV) that tesseract wrote, in lines and paragraphs. */
export function recognisedWords(table: string): string {
  let text = ''
  let before = ['', '', '']
  for (const row of table.split('\n')) {
    const cells = row.split('\t')
    const word = cells[columns.word]?.trim() ?? ''
    const is_word = cells[columns.level] === word_level && word !== ''
    if (!is_word || Number(cells[columns.confidence]) < min_confidence) continue
    const place = [cells[columns.block]!, cells[columns.paragraph]!, cells[columns.line]!]
    text += `${gapBetween(before, place)}${word}`
    before = place
  }
  const joined = text.trim().replace(/(\p{L})[-\u2010]\n(\p{Ll})/gu, '$1$2')
  return (joined.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < min_letters ? '' : joined
}

function gapBetween(before: readonly string[], place: readonly string[]): string {
  if (before[0] !== place[0] || before[1] !== place[1]) return '\n\n'
  return before[2] === place[2] ? ' ' : '\n'
}

/** Grey values from 0: paper is lighter than ink by more than this. */
const min_contrast = 64
/** The share of pixels with ink. A line of text has ten times as much, dust and holes less. */
const max_blank_ink = 1 / 2_000

/** True if a page in grey (PGM, as pdftoppm writes it) has nothing on it. */
export function isBlankPage(picture: Buffer): boolean {
  const head = /^P5\s+\d+\s+\d+\s+255\s/.exec(picture.toString('latin1', 0, 64))
  if (!head) return false
  const pixels = picture.subarray(head[0].length)
  const counts = new Uint32Array(256)
  for (const grey of pixels) counts[grey]!++
  const paper = counts.indexOf(Math.max(...counts))
  const ink = counts.reduce(
    (sum, count, grey) => (Math.abs(grey - paper) > min_contrast ? sum + count : sum),
    0,
  )
  return ink <= pixels.length * max_blank_ink
}

/** Data of tesseract that is no language: the direction of a page, and formulas. */
const no_languages: ReadonlySet<string> = new Set(['osd', 'equ'])
/** The languages in the answer of `tesseract --list-langs`. */
export function languagesIn(answer: string): readonly string[] {
  const names = answer
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
  return names.filter((name) => /^[\w-]+$/.test(name) && !no_languages.has(name))
}

/** A busy machine must not cost a page. Other files wait this much longer for it at most. */
const max_waited_ms = minute_ms

/**
 * How long a process was ready to run and had no processor, by /proc/PID/schedstat, whose second
 * number counts it in nanoseconds. 0 if the kernel does not say it.
 */
export function waited_ms(schedstat: string): number {
  const [, waited_ns] = schedstat.split(' ')
  return Math.min(Number(waited_ns ?? 0) / 1e6, max_waited_ms)
}
