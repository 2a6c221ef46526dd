import { createRequire } from 'node:module'
import type { Ignore } from 'ignore'
import { SluiceError } from '../run/errors.ts'
import { printable } from './format.ts'

// Not imported: Node would search 50 KB of CommonJS for exported names, 30 ms at every start.
const ignore = createRequire(import.meta.url)('ignore') as typeof import('ignore')

/**
 * A pattern of gitignore(5). Those of a deeper .sluiceignore are rewritten for paths relative to
 * the root. So a folder needs one list, whose last match decides, as in git.
 */
export interface Pattern<Meaning> {
  readonly pattern: string
  /** The answer of `match` when this pattern decides. */
  readonly meaning: Meaning
}

export interface PatternList<Meaning> {
  /** The pattern that ignores the path or a parent. The path of a directory ends in `/`. */
  match(path: string): Meaning | undefined
  /** A list of these patterns and then more. It shares the compiled ones. */
  extend(patterns: readonly Pattern<Meaning>[]): PatternList<Meaning>
}

/** A matcher remembers every path: some 100 KB for these, and a folder can have 50 matchers. */
const max_remembered = 1_000

const git_like = { ignorecase: false, allowRelativePaths: true } as const

export function compilePatterns<Meaning>(
  patterns: readonly Pattern<Meaning>[],
): PatternList<Meaning> {
  return extendList(ignore(git_like), [], patterns)
}

function extendList<Meaning>(
  base: Ignore,
  base_meanings: readonly Meaning[],
  patterns: readonly Pattern<Meaning>[],
): PatternList<Meaning> {
  const meanings = [...base_meanings, ...patterns.map(({ meaning }) => meaning)]
  const marked = patterns.map(({ pattern }, index) => ({
    pattern,
    mark: String(base_meanings.length + index),
  }))
  const compiled = ignore(git_like).add(base).add(marked)
  let matcher = ignore(git_like).add(compiled)
  let asked = 0
  return {
    match(path) {
      if (++asked > max_remembered) {
        matcher = ignore(git_like).add(compiled)
        asked = 0
      }
      const { rule } = matcher.test(path)
      return rule === undefined ? undefined : meanings[Number(rule.mark)]
    },
    extend: (more) => extendList(compiled, meanings, more),
  }
}

export interface ParsedPattern {
  /** As written, without negation and trailing spaces. */
  readonly body: string
  readonly negative: boolean
}

/** A line of a .sluiceignore, or of a list in the config; undefined: blank, comment, or slashes. */
export function parsePattern(line: string): ParsedPattern | undefined {
  const trimmed = withoutTrailingSpaces(line)
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const negative = trimmed.startsWith('!')
  const body = negative ? trimmed.slice(1) : trimmed
  return /^\/*$/.test(body) ? undefined : { body, negative }
}

/** Trailing spaces do not count, except a first one that a backslash quotes (gitignore(5)). */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end -= 1
  if (end === line.length) return line
  let backslashes = 0
  while (backslashes < end && line[end - 1 - backslashes] === '\\') backslashes += 1
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

/** True for patterns that match names at any depth: their only slash may be at the end. */
export function isNamePattern(body: string): boolean {
  const slash = body.indexOf('/')
  return slash < 0 || slash === body.length - 1
}

/** Rewrites a pattern of `directory` (relative, '' for the root) for paths relative to the root. */
export function anchorPattern({ body, negative }: ParsedPattern, directory: string): string {
  const sign = negative ? '!' : ''
  if (directory === '') return sign + body
  const below = `/${directory.replace(/[\\*?[]/g, '\\$&')}`
  if (!isNamePattern(body)) return `${sign}${below}/${body.startsWith('/') ? body.slice(1) : body}`
  // `**` without a slash means one `*`. After `/**/` it would become a globstar.
  return `${sign}${below}/**/${body.replace(/^\*{2,}(?=\/?$)/, '*')}`
}

/** Patterns as in gitignore(5), relative to the folder; the last match decides. No pattern: all. */
export function pathMatcher(paths: readonly string[]): (path: string) => boolean {
  if (paths.length === 0) return () => true
  const patterns = paths.map(parsePattern).filter((pattern) => pattern !== undefined)
  const list = compilePatterns(
    patterns.map((pattern) => ({ pattern: anchorPattern(pattern, ''), meaning: true })),
  )
  return (path) => list.match(path) !== undefined
}

/** Error `usage.path` for patterns that name nothing: `!` only takes away from other patterns. */
export function refuseNegated(
  patterns: readonly string[],
  hint = "name the files that you mean; for a name that begins with it, write '\\!name'",
): void {
  if (patterns.length === 0 || !patterns.every((pattern) => pattern.startsWith('!'))) return
  throw new SluiceError({
    code: 'usage.path',
    message: `${patterns.map(printable).join(', ')} names no file: "!" only takes away from what other patterns name`,
    hint,
  })
}
