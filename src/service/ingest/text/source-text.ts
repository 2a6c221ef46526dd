import type { SluiceError } from '../../../base/run/errors.ts'
import { unreadable, wireForm } from '../extract-limits.ts'
import { unread_kind } from '../file-kind.ts'
import { isMail, isMostlyEncoded } from './wire-text.ts'

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

/** Documents in a form for programs, by their beginning, and what each is. */
const wire_starts: readonly (readonly [start: RegExp, what: string])[] = [
  [/^\s*-{4,5} ?BEGIN (?!PGP SIGNED)[A-Z0-9 ]+-{4,5}/, 'a key or message in armour'],
  [/^\s*begin(?:-base64)? [0-7]{3,4} \S[^\n]*\n(?:M[ -`]{60}|[A-Za-z0-9+/=]{4,})\r?\n/, 'uuencode'],
  [/^[\s\S]{0,500}<\?mso-application\s/, 'an Office document in one XML file'],
  [xmlRoot('workbook'), 'a workbook in one XML file'],
  [xmlRoot('worddocument'), 'a Word document in one XML file'],
  [xmlRoot('package(?=[^>]*xmlPackage)'), 'an Office document in one XML file'],
  [xmlRoot('document(?=[^>]*opendocument)'), 'an OpenDocument in one XML file'],
]

function xmlRoot(name: string): RegExp {
  return new RegExp(`${before_root}<(?:\\w+:)?${name}[\\s>]`, 'i')
}

function isNotebook(text: string, start: string): boolean {
  return /^\s*\{\s*"(?:cells|metadata|nbformat|worksheets)/.test(start) && /"nbformat"/.test(text)
}

/** What a text is in a form for programs; undefined if people read it so. */
function wireKind(text: string, start: string): string | undefined {
  const by_start = wire_starts.find(([pattern]) => pattern.test(start))?.[1]
  if (by_start !== undefined) return by_start
  if (isNotebook(text, start)) return 'a notebook of Jupyter'
  if (isMail(text)) return 'mail as it is sent'
  return isMostlyEncoded(text) ? 'mostly encoded data (base64)' : undefined
}

/** Names of files in a form for programs. Any other name says that its file is text. */
const wire_name =
  /\.(emlx?|mhte?ml|mht|mbox|ipynb|fod[tspg]|pem|key|crt|cer|csr|asc|pgp|gpg|p7[bcms]|uue?|b64)$/i

/** Why a text is the source of a picture or of a document; undefined if it is text to read. */
export function sourceFault(text: string, filename: string): SluiceError | undefined {
  const start = text.slice(0, start_length)
  const fault = source_starts.find(([pattern]) => pattern.test(start))?.[1]
  if (fault !== undefined) return unreadable(fault)
  const kind = wireKind(text, start)
  if (kind === undefined) return undefined
  const why = `it is ${kind}, which the service does not read yet`
  return wire_name.test(filename) ? unreadable(why) : wireForm(why)
}
