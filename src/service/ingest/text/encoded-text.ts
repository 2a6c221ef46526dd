/** The parts before the comma are limited, so that no text makes the pattern slow. */
const data_uri =
  /\bdata:(?:[\w.+-]{1,80}\/[\w.+-]{1,80}(?:;[\w.=+-]{1,80}){0,8}|;base64),[^\s"'`<>()[\]{}]*/gi
/** Shorter ones are examples in a text about them. */
const min_uri_length = 60

/** A text without the bytes of pictures and fonts in it, which nobody reads. */
export function withoutDataUris(text: string): string {
  return text.replace(data_uri, (uri) => (uri.length < min_uri_length ? uri : ''))
}

/** A text with this share of bytes in base64 or uuencode, and hardly a word, is no document. */
const max_encoded_share = 0.5
/** A key or a token beside a word or two is what a text is about. A file in base64 is not. */
const min_words = 2
const encoded_length_per_word = 1_024

/** Base64, also with the signs for addresses. Paths and names look like it, and shorter runs. */
const min_run_length = 60
/** A line of its own up to this length may be a key, a token or a checksum of a list. */
const max_listed_length = 200
/** The longest checksum in hexadecimal digits: SHA-512. */
const max_checksum_length = 128
/** More of a run says no more about it. */
const sample_length = 4_096
/** Lines of a list that are judged together. So many of one length are one file. */
const max_block_lines = 1_000

const encoded_line = /^[\w+/-]+={0,2}$/
const uuencoded_line = /^M[ -`]{60}$/
/** A word, or a run of base64. Letters beyond ASCII belong to words. */
const token = /[\w+/\u00c0-\uffff-]+={0,2}/g
const word = /[A-Za-z\u00c0-\uffff]{2,}/g

/** UTF-16 units that are judged at each end of a text. Short lines take a second in so many. */
const judged_length = 524_288

/**
 * True if most of a text is bytes in base64, uuencode or data URIs, and no words stand beside them.
 * Checksums, keys and tokens with what they are for are a text.
 */
export function isMostlyEncoded(text: string): boolean {
  const rest = text.replace(data_uri, ' ')
  const judged = endsOf(rest)
  const counts = new EncodedCounts()
  const enough = min_words + judged.length / encoded_length_per_word
  let end = 0
  for (const { 0: line, index } of judged.matchAll(/\S[^\n]*/g)) {
    if (judged.slice(end + 1, index).includes('\n')) counts.endBlock()
    counts.add(line.trimEnd())
    // As many as a text needs that is encoded from end to end.
    if (counts.words >= enough) return false
    end = index + line.length
  }
  counts.endBlock()
  const encoded = (counts.encoded / Math.max(judged.length, 1)) * rest.length
  const is_most = encoded + text.length - rest.length > text.length * max_encoded_share
  return is_most && counts.words < min_words + Math.floor(counts.encoded / encoded_length_per_word)
}

/** The whole text, or whole lines at its ends. */
function endsOf(text: string): string {
  if (text.length <= 2 * judged_length) return text
  const end = text.slice(-judged_length)
  return `${text.slice(0, judged_length)}\n\n${end.slice(end.indexOf('\n') + 1)}`
}

class EncodedCounts {
  words = 0
  /** UTF-16 units. */
  encoded = 0
  /** Lines in a row that look like base64: a file, or a list. */
  #block: string[] = []

  add(line: string): void {
    if (encoded_line.test(line)) {
      if (this.#block.push(line) === max_block_lines) this.endBlock()
      return
    }
    this.endBlock()
    if (uuencoded_line.test(line)) this.encoded += line.length
    else for (const [run] of line.matchAll(token)) this.#addRun(run, min_run_length)
  }

  endBlock(): void {
    const lines = this.#block
    if (lines.length === 0) return
    this.#block = []
    const is_file = isWrappedFile(lines)
    for (const line of lines) {
      if (is_file) this.encoded += line.length
      else this.#addRun(line, max_listed_length)
    }
  }

  #addRun(run: string, min_length: number): void {
    if (run.length >= min_length && isEncoded(run, run.length)) this.encoded += run.length
    else this.words += run.slice(0, sample_length).match(word)?.length ?? 0
  }
}

/** One file in lines of one length. A list of keys has no shorter line at its end, or more ends. */
function isWrappedFile(lines: readonly string[]): boolean {
  const [first = ''] = lines
  const inner = lines.slice(0, -1)
  const last = lines.at(-1) ?? ''
  const is_even = inner.every((line) => line.length === first.length && !line.endsWith('='))
  if (!is_even || last.length > first.length) return false
  const each = Math.ceil(lines.length / (sample_length / min_run_length))
  const sample = lines.filter((_, at) => at % each === 0).join('')
  const has_sign = /[+/=]/.test(sample.slice(0, sample_length) + last)
  const is_long = sample.length >= min_run_length
  const is_cut = last.length < first.length || lines.length === max_block_lines
  return is_long && (has_sign || is_cut) && isEncoded(sample, first.length)
}

/** Small letters, capitals and digits take turns in base64, but not in paths, names and numbers. */
const turns = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g
/** Bytes in base64 have about 0.6 a letter, text in base64 0.5, and paths below 0.2. */
const min_turns = 0.3
/** Parts of names, such as `readingProcess`. Of base64, they are one letter in seven. */
const name_parts = /[a-z]{3,}/g
const max_named_share = 0.35

/** `length`: of the run, or of its first line. */
function isEncoded(run: string, length: number): boolean {
  const sample = run.slice(0, sample_length)
  if (length <= max_checksum_length && /^[\da-f-]+$/i.test(sample)) return false
  const named = sample.match(name_parts)?.join('').length ?? 0
  const turned = sample.match(turns)?.length ?? 0
  return turned >= sample.length * min_turns && named < sample.length * max_named_share
}
