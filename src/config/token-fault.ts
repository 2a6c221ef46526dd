/** Quotes of word processors, of other languages and of other keyboards. */
export const typographic_quotes = '“”„‟‘’‚‛«»‹›＂＇「」『』〝〞〟❝❞′″‴´ʼˮ'

/** Texts around or in place of a token, and what to do. The first that fits is named. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^-----BEGIN/, 'holds a key or certificate'],
  [/^[[{]/, 'holds JSON: leave the token alone in it'],
  [new RegExp(`^["'\`<${typographic_quotes}]`), 'begins with a quote: take the quotes away'],
  [
    /^(authorization|proxy-authorization|x-api-key)\s*:/i,
    'holds a header: leave the token alone in it',
  ],
  [/^project_/, 'holds the id of a project: a token begins with "pat_"'],
  [/^-\s/, 'begins with a dash: take it away'],
  [/^(?!pat_)[Pp][Aa][Tt]_/, 'begins with capital letters: a token begins with "pat_"'],
  [/^(bearer|basic|token)\s/i, 'begins with a word such as "Bearer": take that away'],
  [
    /^(export\s|set\s|\$env:|[\w-]+\s*[=:])/i,
    'holds a variable or field: take its name and "=" or ":" away',
  ],
  [/\spat_/, 'holds words before the token: take them away'],
  [/^(#|\/\/|;)/, 'holds a comment: take it away'],
  [/[,;.]$/, 'ends with a mark that no token has: take it away'],
  [new RegExp(`["'\`>${typographic_quotes}]$`), 'ends with a quote: take the quotes away'],
  [/[^\x21-\x7e]/, 'holds a space or another character that no token has: take it away'],
]

/** Why a text is no token. Shows nothing of it. */
export function tokenFault(text: string): string {
  const lines = text.split(/\r\n?|\n/)
  const at = lines.findIndex((line) => line.trim() !== '')
  const token = text.trim()
  const cause = causes.find(([pattern]) => pattern.test(token))?.[1]
  if (/[\r\n]/.test(token) && !/^[[{-]/.test(token))
    return `it holds several lines, from line ${at + 1} on: leave one, with the token alone`
  if (cause !== undefined) return `line ${at + 1} ${cause}`
  return `expected 36 characters, "pat_" and 32 more, got ${token.length || 'an empty text'}`
}
