import { localTime } from '../time/time.ts'
import { formatCount, printable } from './format.ts'

/**
 * The last line of every prompt that Sluice sends, `Run weekly-digest 2026-11-23T08:00+01:00 turn 2
 * of 3`. It identifies a turn after a call with unknown result. The line is unique per run of a
 * prompt: a run by hand has seconds and milliseconds in it. `turn` counts from 0.
 */
export function runLine(name: string, due_ms: number, zone: string, turn = 0, turns = 1): string {
  const which = turns > 1 ? ` turn ${turn + 1} of ${turns}` : ''
  return `Run ${printable(name)} ${localTime(due_ms, zone)}${which}`
}

/** The last line that is not empty. Only Sluice writes it, whatever the file names contain. */
export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)!.trim()
}

/** One name per line, so no file name can pass for two, or for a line of Sluice. */
export function fileList(names: readonly string[], shown: number): string {
  if (names.length === 0) return 'none'
  const lines = names.slice(0, shown).map((name) => `- ${name}`)
  if (shown < names.length) lines.push(`… and ${formatCount(names.length - shown)} more`)
  return `\n${lines.join('\n')}\n`
}

/** Stands for the time since when files are new, if there is none. */
export const no_start = 'the beginning'

/** The request of the turn that puts the answers of the other turns together. */
export const closing_words =
  'The files were too many for one turn, so you answered in parts. Put these answers together into one report that reads as if ' +
  'all files had been one part: leave nothing out, say nothing twice. The request was:'

const answers_words = 'The answers to the parts:'
/** Ends an answer that a closing question does not have in full. */
const cut_mark = '… (cut here)'

/**
 * A closing question with the answers to the parts before its last line. The longest are cut if not
 * all fit into `max_length` characters. Answers that are there already are replaced.
 */
export function withAnswers(
  prompt: string,
  answers: readonly string[],
  max_length: number,
): string {
  const line = lastLine(prompt)
  const asked = withoutAnswers(prompt.trimEnd().slice(0, -line.length).trimEnd())
  const compose = (texts: readonly string[]) => {
    const parts = texts.map((text, part) => `## Part ${part + 1} of ${texts.length}\n\n${text}`)
    return [asked, answers_words, ...parts, line].join('\n\n')
  }
  const whole = compose(answers)
  if (whole.length <= max_length) return whole
  const max_chars = max_length - compose(answers.map(() => cut_mark)).length
  const max_each = fairShare(answers, max_chars)
  const isCut = (text: string) => text.length > max_each
  return compose(
    answers.map((text) =>
      isCut(text) ? `${text.slice(0, max_each).toWellFormed()}${cut_mark}` : text,
    ),
  )
}

/** The length to which each is cut so that all fit; those that are shorter leave their rest. */
function fairShare(texts: readonly string[], max_chars: number): number {
  let left = Math.max(0, max_chars)
  let share = left
  for (const [at, { length }] of texts.toSorted((a, b) => a.length - b.length).entries()) {
    share = Math.floor(left / (texts.length - at))
    if (length > share) break
    left -= length
  }
  return share
}

/** True if a prompt of Sluice has the answers to its parts. */
export function hasAnswers(prompt: string): boolean {
  return run_line.test(lastLine(prompt)) && prompt.includes(`\n\n${answers_words}\n\n`)
}

/** As `hasAnswers`, each in full. */
export function hasAllAnswers(prompt: string): boolean {
  return hasAnswers(prompt) && !prompt.includes(cut_mark)
}

function withoutAnswers(prompt: string): string {
  return prompt.split(`\n\n${answers_words}`, 1)[0]!
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3})?)?(?:Z|[+-]\d\d:\d\d)`
const times = new RegExp(time, 'g')
const run_line = new RegExp(String.raw`^Run .+ (?<due>${time})(?: turn \d+ of \d+)?$`)
/** A list as `fileList` writes it: each name has a folder or an ending. */
const list_block = /^- \S.*(?:\n- \S.*)*(?:\n… and [\d,.]+ more)?$/gm
const file_item = /^- (?:[^/\n]+\/\S.*|.*\.\w{1,8})$/

/**
 * A prompt without the lines, lists of files and times that Sluice wrote into it: what the user
 * asks. A prompt without the line of a run is all the user's. `files`: how many the turn asks
 * about, so that a list of the user's own can be told from that of Sluice.
 */
export function requestIn(prompt: string, files: number): string {
  const run = run_line.exec(lastLine(prompt))
  if (!run) return prompt
  const date = run.groups!.due!.slice(0, 'YYYY-MM-DD'.length)
  const { body, lists: left_out } = unwrapped(prompt, files)
  const own_words = new Set(
    [...left_out].flatMap((block) => [...folderNames(block), formatCount(sizeOf(block))]),
  )
  return body
    .replace(list_block, (block) => (left_out.has(block) ? '' : block))
    .replace(times, ' ')
    .replaceAll(date, ' ')
    .replaceAll(no_start, ' ')
    .replace(/[\p{L}\p{N}_-]+(?:,\d{3})*/gu, (word) => (own_words.has(word) ? '' : word))
    .trim()
}

/** The same for people, in one line: with the folders and times that it names, without seconds. */
export function questionIn(prompt: string, files: number): string {
  if (!run_line.test(lastLine(prompt))) return prompt.trim().replace(/\s+/g, ' ')
  const { body, lists } = unwrapped(prompt, files)
  return (
    body
      .replace(list_block, (block) => (lists.has(block) ? '…' : block))
      .replace(times, (at) => at.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' '))
      .replace(/\s+/g, ' ')
      .trim()
      // A list that the question does not lead to leaves no gap that a reader would miss.
      .replace(/(?<=[.?!]) …$/, '')
  )
}

/** The prompt without the lines that Sluice puts around it, and the lists of files in it. */
function unwrapped(prompt: string, files: number): { body: string; lists: Set<string> } {
  const lines = prompt.trimEnd().split(/\r?\n/).slice(0, -1)
  const body = withoutAnswers(lines.join('\n')).replace(closing_words, '')
  const lists = [...body.matchAll(list_block)].map(([block]) => block).filter(isFileList)
  const whole = lists.filter((block) => sizeOf(block) === files)
  return { body, lists: new Set(whole.length > 0 ? whole : lists) }
}

/** All files of the list are in these folders, so that their names tell nothing apart. */
function folderNames(block: string): string[] {
  return [...block.matchAll(/^- ([^/\n]+)\//gm)].map(([, folder]) => folder!)
}

function isFileList(block: string): boolean {
  return block.split('\n').every((line) => line.startsWith('…') || file_item.test(line))
}

function sizeOf(block: string): number {
  const lines = block.split('\n')
  const more = /^… and ([\d,.]+) more$/.exec(lines.at(-1)!)?.[1]
  return more === undefined ? lines.length : lines.length - 1 + Number(more.replace(/\D/g, ''))
}
