import { wordsOf } from '../question.ts'

/** Sentences of a file that its section quotes. */
const max_sentences = 3
/** UTF-16 units. A table may have no sentence ends. */
const max_sentence_length = 400
/** More takes over 30 ms on the thread that answers calls, so the rest of a novel is left out. */
export const max_searched_length = 1_000_000

const sentence_gap = /\n+|(?<=[.!?…]["”’)]?)\s+(?=["“„(]?[\p{Lu}\p{N}])/u

/**
 * The sentences with the most of these words, in the order of the text; the first ones if none has
 * any. The same sentence stands there once.
 */
export function nearestSentences(text: string, words: readonly string[]): string[] {
  const all = text.slice(0, max_searched_length).split(sentence_gap)
  const sentences = [...new Set(all.map((sentence) => sentence.trim()))].filter((sentence) =>
    /[\p{L}\p{N}]/u.test(sentence),
  )
  const scored = sentences.map((sentence, at) => {
    const has = wordsOf(sentence)
    return { sentence, at, score: words.filter((word) => has.has(word)).length }
  })
  const near = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return (near.length > 0 ? near : scored)
    .slice(0, max_sentences)
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) =>
      sentence.length > max_sentence_length
        ? `${sentence.slice(0, max_sentence_length).toWellFormed()}…`
        : sentence,
    )
}
