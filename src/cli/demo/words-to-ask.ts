/** Longer words are mostly names of things in code. */
const max_chars = 14
const max_words = 3
const word = /(?<![\p{L}\p{N}_])[\p{L}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}]*(?![\p{L}\p{N}_])/gu

/**
 * Picks words to ask about from passages of files: the longest of the passage with the most words,
 * in the order of its text, because long words say more. Empty: there are no words.
 */
export function wordsToAsk(passages: readonly string[]): string[] {
  const words_of = passages.map((passage) =>
    [...new Set(passage.match(word))].filter(({ length }) => length <= max_chars),
  )
  const [words = []] = words_of.toSorted((one, other) => other.length - one.length)
  const longest = words.toSorted((one, other) => other.length - one.length).slice(0, max_words)
  return words.filter((text) => longest.includes(text))
}
