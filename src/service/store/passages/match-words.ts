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
  // A month, or the number of one of a few files.
  if (/^0?\d$/.test(word)) return [quoted(word), quoted(word.length > 1 ? word[1]! : `0${word}`)]
  const spelled = [word, ...otherSpellings(word)].map((spelling) => {
    const stem = is_english ? undefined : stemOf(spelling)
    return stem === undefined ? quoted(spelling) : `${quoted(stem)} *`
  })
  const parts = partsOf(word)
  return parts === word ? spelled : [...spelled, quoted(parts)]
}

/** Each word is a quoted string, so that nothing in a prompt is syntax (sqlite.org/fts5.html). */
export function quoted(words: string): string {
  return `"${words.replaceAll('"', '""')}"`
}

/** `wk 1377` for `wk1377`: letters and digits that others write apart. */
function partsOf(word: string): string {
  return word.replace(/(\p{L})(?=\p{N})|(\p{N})(?=\p{L})/gu, '$1$2 ')
}

/** Undefined for a word whose other forms do not begin with it, and for a number. */
export function stemOf(word: string): string | undefined {
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

function otherSpellings(word: string): Set<string> {
  const others = new Set([
    word.replace(/[äöüß]/g, (letter) => umlauts.get(letter)!),
    word.replaceAll('ß', 'ss'),
  ])
  if (word.length >= min_stem_length && others.has(word)) {
    // In `neue`, `steuer` and `frequent` the two letters are no umlaut, nor at the end of `value`.
    const contracted = word.replace(/(?<![aeq])([aou])e(?!$|s$)/g, '$1')
    for (const other of [word, contracted]) others.add(other).add(other.replace('ss', 'ß'))
  }
  others.delete(word)
  return others
}
