/** Bytes. Dictionaries of pictures and patterns are shorter; a longer one is passed over. */
const max_dictionary_bytes = 4_096
/** Digits and blanks between the number of an object and its word `obj`. */
const max_number_bytes = 24

/** An entry of a dictionary, with the places of its name and its value in the file. */
interface DictionaryEntry {
  name_at: number
  value_at: number
  /** The first token of its value. */
  value: string
  /** The value is the number of another object. */
  is_reference: boolean
}

export interface FileStream {
  /** The number of its object. */
  number: string
  dictionary: string
  /** By name, such as `/Width`. */
  entries: ReadonlyMap<string, DictionaryEntry>
  /** Where its content begins and ends. */
  from: number
  to: number
}

/**
 * The streams of a PDF by its objects, in the order of the file (PDF 32000-1, 7.3.8). The content
 * of a stream is passed over: a text can have the words of an object in it.
 */
export function* streamsOf(bytes: Buffer): Generator<FileStream> {
  let at = 0
  for (let word = bytes.indexOf('obj'); word >= 0; word = bytes.indexOf('obj', at)) {
    at = word + 'obj'.length
    const before = bytes.toString('latin1', Math.max(0, word - max_number_bytes), word)
    const number = /(\d+)[\s\0]+\d+[\s\0]+$/.exec(before)?.[1]
    if (number === undefined) continue
    const source = bytes.toString('latin1', at, at + max_dictionary_bytes)
    const found = dictionaryIn(source, at)
    if (found === undefined) continue
    const { dictionary, entries } = found
    at += dictionary.length
    const start = /^[\s\0]*stream(\r?\n|\r)/.exec(source.slice(dictionary.length))
    if (start === null) continue
    const from = at + start[0].length
    at = endOf(bytes, from, entries.get('/Length'))
    yield { number, dictionary, entries, from, to: at }
  }
}

/** Its length says where the content ends, unless the length is false or in another object. */
function endOf(bytes: Buffer, from: number, length: DictionaryEntry | undefined): number {
  if (length && !length.is_reference) {
    const end = from + Number(length.value)
    if (/^[\s\0]*endstream/.test(bytes.toString('latin1', end, end + max_number_bytes))) return end
  }
  const end = bytes.indexOf('endstream', from)
  return end < 0 ? bytes.length : end
}

const token =
  /[\s\0]+|%[^\r\n]*|<<|>>|[[\]]|<[^<>]*>|\((?:[^\\()]|\\[\s\S]|\((?:[^\\()]|\\[\s\S])*\))*\)|\/?[^\s\0()<>[\]{}/%]+/gy

/** The dictionary that a text begins with; undefined if it is none or is not whole. */
function dictionaryIn(source: string, at: number) {
  const entries = new Map<string, DictionaryEntry>()
  let depth = 0
  let name: { text: string; at: number } | undefined
  let last: DictionaryEntry | undefined
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [word] = match
    const place = at + match.index
    if (/^[\s\0%]/.test(word)) continue
    if (depth === 0 && word !== '<<') return undefined
    if (depth === 1 && name !== undefined) {
      last = { name_at: name.at, value_at: place, value: word, is_reference: false }
      entries.set(name.text, last)
      name = undefined
    } else if (depth === 1 && word.startsWith('/')) name = { text: word, at: place }
    else if (depth === 1 && word === 'R' && last) last.is_reference = true
    if (word === '<<' || word === '[') depth++
    if (word === '>>' || word === ']') depth--
    if (depth === 0) return { dictionary: source.slice(0, token.lastIndex), entries }
  }
  return undefined
}
