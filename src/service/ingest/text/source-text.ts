import type { SluiceError } from '../../../base/run/errors.ts'
import { unreadable, wireForm } from '../extract-limits.ts'
import { unread_kind } from '../file-kind.ts'
import { isMostlyEncoded } from './encoded-text.ts'
import { isNotebook } from './notebook.ts'
import { rootTag } from './xml-root.ts'

/** How pictures, models and damaged documents begin that are written as text, and their endings. */
const source_starts: readonly (readonly [start: RegExp, names: RegExp, fault?: string])[] = [
  [/^%!PS/, /\.(e?ps|ai)$/i],
  [/^\/\* XPM \*\//, /\.xpm$/i],
  [/^P[123]\s(?:[\d\s]|#[^\n]*(?:\n|$)){6,}$/, /\.p[bgpn]m$/i],
  [/^#VRML V\d/, /\.(wrl|vrml)$/i],
  [/^solid\b[^\n]*\n\s*facet normal/, /\.stl$/i],
  [
    /^(?:#[^\n]*\n|\s|(?:mtllib|o|g|usemtl) [^\n]*\n)*(?:v(?: +-?[\d.]+(?:e-?\d+)?){3,}\s*\n){2}/,
    /\.obj$/i,
  ],
  [/^ISO-10303-21;/, /\.(step|stp|p21|ifc)$/i],
  [/^\s*(?:999\s*\n[^\n]*\n\s*)*0\s*\n\s*SECTION\s*\n/, /\.dxf$/i],
  [
    /^\s*\{\\\S{0,12}[\s\S]*\\(?:ansi|fonttbl)\b/,
    /\.(rtf|doc)$/i,
    'broken: RTF without its beginning',
  ],
]
const picture_name = /\.svgz?$/i
const page_name = /\.x?html?$/i

/** A PDF that lost its first bytes. One in a text about them has no end. */
function isDamagedPdf(text: string, start: string, is_named: boolean): boolean {
  if (!/^(?:[^\r\n]{0,40}[\r\n]+){0,3}\d+ \d+ obj\b/.test(start)) return false
  return is_named || /\bstartxref\s+\d+\s+%%EOF/.test(text.slice(-start_length))
}

/** UTF-16 units in which the beginning of a file is found. */
const start_length = 1_024

/** Armour of a known kind, or around base64. People frame their own texts in the same way. */
const armour =
  /^\s*-{4,5} ?BEGIN (?!PGP SIGNED)(?:[A-Z0-9 ]*\b(?:KEY|KEY BLOCK|CERTIFICATE|REQUEST|CRL|CMS|PKCS7|PARAMETERS|MESSAGE|SIGNATURE)|[^\n-]+-{4,5}\s+[\w+/]{40,80}=*\s) ?/

/** Documents in a form for programs, by their beginning, and what each is. */
const wire_starts: readonly (readonly [start: RegExp, what: string])[] = [
  [armour, 'a key or message in armour'],
  [/^\s*begin-base64 [0-7]{3,4} \S[^\n]*\n[A-Za-z0-9+/=]{4,}\r?\n/, 'uuencode'],
  [/^[\s\S]{0,500}<\?mso-application\s/, 'an Office document in one XML file'],
]

/** Documents in one XML file, by their first element. */
const wire_roots: readonly (readonly [root: RegExp, what: string])[] = [
  [/^<(?:\w+:)?workbook\b[^>]*schemas-microsoft-com/i, 'a workbook in one XML file'],
  [/^<(?:\w+:)?worddocument\b[^>]*schemas[.-]microsoft/i, 'a Word document in one XML file'],
  [/^<(?:\w+:)?package\b[^>]*xmlPackage/i, 'an Office document in one XML file'],
]

/** Lines of uuencode say their length in the first character: a text about a beginning does not. */
function isUuencoded(start: string): boolean {
  const line = /^\s*begin [0-7]{3,4} \S[^\n]*\n([!-M][ -`]{4,60})\r?\n/.exec(start)?.[1]
  const bytes = (line?.charCodeAt(0) ?? 32) - 32
  return line !== undefined && line.length - 1 === Math.ceil(bytes / 3) * 4
}

/** What a text is in a form for programs; undefined if people read it so. */
function wireKind(text: string, start: string, root: string): string | undefined {
  const by_start = wire_starts.find(([pattern]) => pattern.test(start))?.[1]
  const by_root = wire_roots.find(([pattern]) => pattern.test(root))?.[1]
  if (by_start !== undefined || by_root !== undefined) return by_start ?? by_root
  if (isUuencoded(start)) return 'uuencode'
  // A notebook has its pictures in base64.
  return !isNotebook(text) && isMostlyEncoded(text) ? 'mostly encoded data (base64)' : undefined
}

/** Names of files in a form for programs. Any other name says that its file is text. */
const wire_name = /\.(pem|key|crt|cer|csr|asc|pgp|gpg|p7[bcms]|uue?|b64)$/i

/**
 * Why a text is the source of a picture or of a document; undefined if it is text to read. Under
 * the name of another kind, it says nothing about that kind.
 */
export function sourceFault(text: string, filename: string): SluiceError | undefined {
  const start = text.slice(0, start_length)
  const root = rootTag(text)
  const source = source_starts.find(([pattern]) => pattern.test(start))
  if (source !== undefined) return drawingFault(source[1].test(filename), source[2])
  if (/^<(?:\w+:)?svg[\s>]/i.test(root) && !page_name.test(filename))
    return drawingFault(picture_name.test(filename))
  const is_pdf = /\.pdf$/i.test(filename)
  if (isDamagedPdf(text, start, is_pdf))
    return faultOf('broken: a PDF without its beginning', is_pdf)
  const kind = wireKind(text, start, root)
  if (kind === undefined) return undefined
  const why = `it is ${kind}, which the service does not read yet`
  return faultOf(why, wire_name.test(filename))
}

function drawingFault(is_named: boolean, broken?: string): SluiceError {
  const why = 'it is a drawing or a model for programs, which the service does not read'
  return faultOf(broken ?? (is_named ? unread_kind : why), is_named)
}

function faultOf(why: string, is_named: boolean): SluiceError {
  return is_named ? unreadable(why) : wireForm(why)
}
