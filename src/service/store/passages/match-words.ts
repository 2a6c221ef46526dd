/** A stem of fewer letters begins too many other words. */
const min_stem_length = 5
/** Endings of German nouns, adjectives and verbs, the longest first. */
const german_endings = ['ern', 'en', 'er', 'em', 'es', 'e', 'n', 's']
/** English words with these endings have a stem that the tokenizer knows better (Porter). */
const english_ending = /(?:ing|ed|ies|ions?|ness|ly|ity|ous|ives?|ates?|ments?|ances?|ences?)$/

/**
 * The phrases of FTS5 that stand for one word of a question: its stem as the beginning of a word,
 * so that it matches other forms and compounds of it, and other spellings of its umlauts. The
 * tokenizer takes `ä` for `a` and leaves `ß`. It knows the stems of English words itself (Porter).
 */
export function phrasesOf(word: string, is_english = false): string[] {
  if (is_english) return [quoted(word)]
  return [word, ...otherSpellings(word)].map((spelling) => {
    const stem = stemOf(spelling)
    return stem === undefined ? quoted(spelling) : `${quoted(stem)} *`
  })
}

/** Each word is a quoted string, so that nothing in a prompt is syntax (sqlite.org/fts5.html). */
export function quoted(words: string): string {
  return `"${words.replaceAll('"', '""')}"`
}

/** Undefined for a word whose other forms do not begin with it, and for a number. */
function stemOf(word: string): string | undefined {
  if (word.length < min_stem_length || english_ending.test(word) || /\d/.test(word))
    return undefined
  const ending = german_endings.find(
    (each) => word.endsWith(each) && word.length - each.length >= min_stem_length,
  )
  return ending === undefined ? word : word.slice(0, -ending.length)
}

const umlauts = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['ß', 'ss'],
])

function otherSpellings(word: string): string[] {
  const written_out = word.replace(/[äöüß]/g, (letter) => umlauts.get(letter)!)
  if (written_out !== word) return [written_out]
  if (word.length < min_stem_length) return []
  // In `neue`, `steuer` and `frequent` the two letters are no umlaut, nor at the end of `value`.
  const contracted = word.replace(/(?<![aeq])([aou])e(?!$|s$)/g, '$1')
  const sharp = word.replace('ss', 'ß')
  return [contracted, sharp].filter((other) => other !== word)
}
