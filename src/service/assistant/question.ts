import { formsAsked, isDateWord } from '../store/passages/normal-forms.ts'

/** What a question is searched for. */
export interface AskedFor {
  words: string[]
  /** Dates and numbers in their normal forms. */
  forms: string[]
  /** What may be names of files, the longest first. */
  names: string[]
  /** Other spellings of a word that the question shows, as phrases. */
  spellings: Map<string, string[]>
  /** All words are English. */
  is_english: boolean
}

/** The most words of a question to search for. More make a search slower, but no better. */
const max_words = 48
/** More names than a user types; each costs a look into the index. */
const max_names = 16
/** UTF-16 units of a name without blanks; longer ones are no names that a user types. */
const max_name_length = 200
/** Words before an ending that may belong to the name of a file: `Angebot Huber 2024.pdf`. */
const max_name_words = 5

/** Words that so many passages contain that they do not help a search. */
const english_words =
  `a about all am an and any are as at be been both but by can could did do does each every for from had has have he her his how i if in into is it
its me more most must my no not of on one or our please say says she should so some such tell than that the their them then there these
they this to up us was we were what when where which who whom whose why will with would you your`.split(
    /\s+/,
  )
const german_words =
  `aber als am an auch auf aus bei bin bis das dass dem den der des die durch ein eine einem einen einer eines er es für hat ich im in
ist ja jede jeden jeder jedes kann mit muss nach nicht noch nur oder sich sie sind so um und uns unter vom von vor war was welche
welcher welches wenn wer wie wird wir wo zu zum zur über`.split(/\s+/)
const stop_words = new Set([...english_words, ...german_words])
const only_english = new Set(english_words.filter((word) => !german_words.includes(word)))
const only_german = new Set(german_words.filter((word) => !english_words.includes(word)))

/** Words of questions about files, and of prompts. They name no subject beside other words. */
const weak_words = new Set(
  `anything arrived behind briefly came digest document documents entry file files find first folder folders found give got hello
important know line lines list many much name named need new newest paragraph paragraphs regarding see sentence sentences show since
something statement statements subject subjects summarise summarize summary text thank thanks topic want write yet
absatz absätze anzahl bitte bräuchte brauche danke datei dateien dokument dokumente etwas fass fasse finde gib gibt haben habt hallo
hast irgendetwas irgendwas könnte könnten könntest liste name neu neue neuen neues ordner satz schreib schreibe seit steht
stichpunkte suche text thema unser unsere unserem unseren unserer viele vielen wichtigste wichtigsten wieviel wieviele wissen zeig
zeige zeile zusammen zusammenfassung`.split(/\s+/),
)

/** The words to search for, each once, in lower case. Common words only if there are no others. */
export function searchWords(request: string): string[] {
  const words = [...wordsOf(request)]
  const telling = words.filter((word) => !stop_words.has(word))
  return (telling.length > 0 ? telling : words).slice(0, max_words)
}

/** True for a word that can be the subject of a question. */
export function isTelling(word: string): boolean {
  return !stop_words.has(word) && !weak_words.has(word)
}

/** The words of a text, each once, in lower case. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))
}

/** What to search for, from the words of the user alone. */
export function readRequest(request: string): AskedFor {
  const forms = formsAsked(request)
  const all = searchWords(request)
  const strong = all.filter(isTelling)
  const words = strong.length > 0 ? strong : all
  // Parts of a date or a number stand in too many passages; the normal form has them.
  const has_date = forms.some((form) => /^[dm]/.test(form))
  const isPart = (word: string) => /^\d{1,2}$/.test(word) || (has_date && isDateWord(word))
  const telling = forms.some((form) => !form.startsWith('y'))
    ? words.filter((word) => !isPart(word))
    : words
  const every = [...wordsOf(request)]
  const is_english =
    every.some((word) => only_english.has(word)) && !every.some((word) => only_german.has(word))
  const compounds = compoundsIn(request)
  const names = namesIn(request, compounds)
  return { words: telling, forms, names, spellings: spellingsOf(compounds, request), is_english }
}

/** More are a list, not a question. */
const max_compounds = 48

/** Words joined by hyphens, underscores or dots. One pattern for all takes the square of time. */
function compoundsIn(request: string): string[] {
  const runs = request.match(/[\p{L}\p{N}_.-]+/gu) ?? []
  return runs
    .map((run) => run.replace(/^[-_.]+|[-_.]+$/g, ''))
    .filter((run) => run.length <= max_name_length && /[-_.]/.test(run))
    .slice(0, max_compounds)
}

/** `wk1377` for `WK` and `1377` of `WK-1377`, and `get user` for `getUser`. */
function spellingsOf(compounds: readonly string[], request: string): AskedFor['spellings'] {
  const spellings: AskedFor['spellings'] = new Map()
  const add = (word: string, spelling: string) =>
    spellings.set(word, [...(spellings.get(word) ?? []), spelling])
  for (const compound of compounds) {
    const parts = compound.toLowerCase().split(/[-_.]+/)
    for (const part of parts) add(part, parts.join(''))
  }
  const humps = (request.match(/\p{L}+/gu) ?? []).filter((word) => /\p{Ll}\p{Lu}/u.test(word))
  for (const word of humps.slice(0, max_compounds))
    add(word.toLowerCase(), word.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').toLowerCase())
  return spellings
}

const in_quotes = /["“”„«»‹›'`]([^"“”„«»‹›'`\n]{3,200})["“”„«»‹›'`]/g
const with_ending =
  /(?:^|[\s("“„'`])([^\s("“„'`]*[\p{L}\p{N}_-]\.(?=\w*[a-z])[a-z0-9]{1,5})(?![\p{L}\p{N}])/giu

/**
 * What may be the name of a file: what stands in quotes, what has an ending, also with words before
 * it, and words that hyphens or underscores join.
 */
function namesIn(request: string, compounds: readonly string[]): string[] {
  const names: string[] = [...request.matchAll(in_quotes)].map(([, name]) => name!)
  for (const found of [...request.matchAll(with_ending)].slice(0, max_names)) {
    const end = found.index + found[0].length
    const before = request.slice(0, end).split('\n').at(-1)!.split(/\s+/)
    for (let words = Math.min(max_name_words, before.length); words > 0; words--)
      names.push(before.slice(-words).join(' '))
  }
  names.push(...compounds)
  const words = names.map((name) => name.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim())
  return [...new Set(names.filter((_, at) => words[at]!.length > 2))].slice(0, max_names)
}
