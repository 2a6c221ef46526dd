import { formatCount } from '../../base/text/format.ts'
import type { MessageWarning, TurnRecord } from '../../contract/messages/messages-chats.ts'
import type { ModelAnswer } from './model/model-answer.ts'
import { wordsOf } from './question.ts'

/** A text that an answer quotes word for word. */
export interface Quote {
  /** A file's name, a message's id, a web page's title and address, or `memory (category)`. */
  source: string
  text: string
  /** The number of the file, and the place in it; absent where it is of no file. */
  asset?: number
  place?: string
}

/** What the files of a scope say about a question. */
export interface FoundInFiles {
  /** The passages that were found, the best of each kind first. */
  quotes: readonly Quote[]
  /** Counts, names and times of the files, for a question about them as such. */
  overview: string | undefined
  /** What was searched where nothing was found; undefined if no files were. */
  searched: Searched | undefined
  /** Words of the question that no file in scope has, beside others that some have. */
  unknown: readonly string[]
}

interface Searched {
  files: number
  words: readonly string[]
  /** So many of the quotes are beginnings of the newest files, because nothing was found. */
  beginnings: number
}

const extractive_note =
  '_This answer is extractive: it quotes the sources above word for word. No language model wrote any of it._'

const no_hit_note = '_No language model wrote this answer._'

const nothing_found = 'No passage within the scope of this question matches it.'

/** The extractive assistant's answer in Markdown. Its last line says that no model wrote it. */
export function composeAnswer(
  quotes: readonly Quote[],
  skills: readonly string[] = [],
  notes: readonly string[] = [],
  { overview, searched }: Partial<FoundInFiles> = {},
): string {
  const parts = quotes.map(({ source, text }) => {
    const quoted = text.split('\n').map((line) => `> ${line}`)
    return `**${source.replace(/\p{Cc}+/gu, ' ')}**\n\n${quoted.join('\n')}`
  })
  if (overview !== undefined) parts.unshift(overview)
  if (searched && (parts.length === 0 || searched.beginnings > 0))
    parts.unshift(nothingText(searched))
  if (parts.length === 0) parts.push(nothing_found)
  if (skills.length > 0)
    parts.push(`Skills, in this order: ${skills.join(', ')}. They are for a model to follow.`)
  const note = quotes.length === 0 ? no_hit_note : extractive_note
  return [...parts, ...notes, note].join('\n\n')
}

/** So many words of a question show what was searched for. */
const max_named_words = 12

/** What was searched in vain, and what stands there instead. */
export function nothingText({ files, words, beginnings }: Searched): string {
  if (files === 0) return 'None of the files asked about is ready, so nothing was searched.'
  const nothing = nothingFound(files, words)
  if (beginnings === 0) return nothing
  if (files === 1) return `${nothing}. It begins like this:`
  const which = beginnings === files ? 'They begin' : `The newest ${beginnings} begin`
  return `${nothing}. ${which} like this:`
}

function nothingFound(files: number, words: readonly string[]): string {
  const which =
    files === 1
      ? 'The file asked about has no'
      : `None of the ${formatCount(files)} files asked about has a`
  if (words.length === 0) return `${which} passage that matches the question`
  return `${which} passage with: ${namedWords(words)}`
}

/** Words of a question. */
export function namedWords(words: readonly string[]): string {
  return words.slice(0, max_named_words).join(', ')
}

const answer_cut: MessageWarning = {
  code: 'answer_cut',
  humane:
    'The model stopped at its length limit, or a filter of its host ended it, so this answer is incomplete.',
}
const prompt_cut: MessageWarning = {
  code: 'prompt_cut',
  humane:
    'The host of the model counted far fewer tokens than it was sent, so it may have cut the text: this answer may lack ' +
    'what stood there.',
}

/** The answer of a model with the warnings about it, each in a line of its own below it. */
export function warned(
  { text, is_cut, is_prompt_cut }: Exclude<ModelAnswer, { fault: string }>,
  more: readonly MessageWarning[] = [],
): { response: string; record: TurnRecord } {
  const warnings = [
    ...(is_cut ? [answer_cut] : []),
    ...(is_prompt_cut ? [prompt_cut] : []),
    ...more,
  ]
  const lines = warnings.map(({ humane }) => `_${humane}_`)
  return {
    response: [text, ...lines].join('\n\n'),
    record: warnings.length > 0 ? { warnings } : {},
  }
}

/** An earlier answer without the note at its end, which is not worth quoting. */
export function withoutNote(response: string): string {
  return response.replace(extractive_note, '').replace(no_hit_note, '')
}

export function hasAnyOf(words: readonly string[], text: string): boolean {
  const there = wordsOf(text)
  return words.some((word) => there.has(word))
}

/** The passages with the most of these words, best first. For chats, which are in no index. */
export function bestPassages(
  passages: readonly Quote[],
  words: readonly string[],
  limit: number,
): Quote[] {
  return passages
    .map((quote) => {
      const has = wordsOf(quote.text)
      return { quote, score: words.filter((word) => has.has(word)).length }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ quote }) => quote)
}
