import { DocumentText, type ReadDocument } from '../document-text.ts'
import type { ExtractLimits } from '../extract-limits.ts'
import { RtfState } from './rtf-state.ts'

// A token is a control word with its number and space, `\'hh`, a control symbol, a brace, a line
// end, or text. What begins like an escape and is none is the last case: it is passed over.
const token =
  /\\([a-z]+)(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\'?/giy

/** Extracts the text of an RTF file in one pass. Only memory limits the depth of groups. */
export function extractRtf(bytes: Buffer, limits: ExtractLimits): ReadDocument {
  const source = bytes.toString('latin1')
  const text = new DocumentText(limits, 'part')
  const state = new RtfState(text)
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, run] = match
    if (word === 'bin') token.lastIndex = behindBytes(token.lastIndex, Number(number), source)
    else if (word !== undefined) state.word(word, number === undefined ? undefined : Number(number))
    else if (hex !== undefined) state.byte(Number.parseInt(hex, 16))
    else if (symbol !== undefined) state.symbol(symbol)
    else if (brace !== undefined) state.brace(brace)
    else if (run !== undefined) state.text(run)
  }
  state.end()
  return text.end()
}

/** Behind bytes that are no text. More than the file has are a fault, which must hide no text. */
function behindBytes(at: number, bytes: number, source: string): number {
  return bytes > 0 && at + bytes <= source.length ? at + bytes : at
}
