import { unread_kind } from '../file-kind.ts'

/** Comments and declarations before the first element of XML. */
const before_root = String.raw`^(?:<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE(?:[^>[]|\[[^\]]*\])*>|\s)*`

/** How pictures, models and damaged documents begin that are written as text. */
const source_starts: readonly (readonly [start: RegExp, fault: string])[] = [
  [/^%!PS/, unread_kind],
  [new RegExp(`${before_root}<(?:\\w+:)?svg[\\s>]`, 'i'), unread_kind],
  [/^\/\* XPM \*\//, unread_kind],
  [/^P[123]\s+(?:#.*\s+)?\d+\s+\d+\s/, unread_kind],
  [/^#VRML/, unread_kind],
  [/^solid\b[^\n]*\n\s*facet normal/, unread_kind],
  [
    /^(?:#[^\n]*\n|\s|(?:mtllib|o|g|usemtl) [^\n]*\n)*v(?: +-?[\d.]+(?:e-?\d+)?){3,}\s/,
    unread_kind,
  ],
  [/^ISO-10303-21;/, unread_kind],
  [/^\s*(?:999\s*\n[^\n]*\n\s*)*0\s*\n\s*SECTION\s*\n/, unread_kind],
  [/^\s*\{\\\S{0,12}[\s\S]*\\(?:ansi|fonttbl|pard)\b/, 'broken: RTF without its beginning'],
  [
    /^(?:[^\r\n]{0,40}[\r\n]+){0,3}\d+ \d+ obj\b[\s\S]*\bendobj\b/,
    'broken: a PDF without its beginning',
  ],
]

/** UTF-16 units in which the beginning of a file is found. */
const start_length = 1_024

/** Why a text is the source of a picture or of a document; undefined if it is text to read. */
export function sourceFault(text: string): string | undefined {
  const start = text.slice(0, start_length)
  return source_starts.find(([pattern]) => pattern.test(start))?.[1]
}
