/** A text that an answer quotes word for word. */
export interface Quote {
  /** A file's name, a message's id, a web page's title and address, or `memory (category)`. */
  source: string
  text: string
}

/** The most words of a question to search for. More make a search slower, but no better. */
const max_words = 48

/** English and German words that so many passages contain that they do not help a search. */
const stop_words = new Set(
  `a about all am an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it
its me more most my no not of on one or our please say says she should so some such tell than that the their them then there these
they this to up us was we were what when where which who whom whose why will with would you your
aber als am an auch auf aus bei bin bis das dass dem den der des die durch ein eine einem einen einer eines er es für hat ich im in
ist ja kann mit nach nicht noch nur oder sich sie sind so um und uns unter vom von vor war was welche welcher welches wenn wer wie
wird wir wo zu zum zur über`.split(/\s+/),
)

/** The words to search for, each once, in lower case. Common words only if there are no others. */
export function searchWords(prompt: string): string[] {
  const words = [...wordsOf(prompt)]
  const telling = words.filter((word) => !stop_words.has(word))
  return (telling.length > 0 ? telling : words).slice(0, max_words)
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
): string {
  const parts = quotes.map(({ source, text }) => {
    const quoted = text.split('\n').map((line) => `> ${line}`)
    return `**${source.replace(/\p{Cc}+/gu, ' ')}**\n\n${quoted.join('\n')}`
  })
  if (parts.length === 0) parts.push(nothing_found)
  if (skills.length > 0)
    parts.push(`Skills, in this order: ${skills.join(', ')}. They are for a model to follow.`)
  const note = quotes.length === 0 ? no_hit_note : extractive_note
  return [...parts, ...notes, note].join('\n\n')
}

/** An earlier answer without the note at its end, which is not worth quoting. */
export function withoutNote(response: string): string {
  return response.replace(extractive_note, '').replace(no_hit_note, '')
}

/** The words of a text, each once, in lower case. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
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
