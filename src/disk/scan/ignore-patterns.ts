import { createRequire } from 'node:module'
import type { Ignore } from 'ignore'

// Not imported: Node would look for the names that this CommonJS module exports, which takes 30 ms for its 50 KB, at every start.
const ignore = createRequire(import.meta.url)('ignore') as typeof import('ignore')

/**
 * Lists of gitignore patterns (gitignore(5)), matched by the package `ignore`. Patterns of a .sluiceignore deeper down are
 * rewritten to speak of paths below the root, so that one list per folder holds everything from the root down, the last match
 * wins across all of it, and git's order ("the file closest to the path decides") comes by itself.
 */
export interface Pattern<Meaning> {
  /** As rewritten for paths relative to the root. */
  readonly pattern: string
  /** The answer of `match` when this pattern decides. */
  readonly meaning: Meaning
}

export interface PatternList<Meaning> {
  /** What the pattern that ignores the path means; undefined: not ignored. A directory's path ends in `/`; its parents count. */
  match(path: string): Meaning | undefined
  /** A list of these patterns and then more; the compiled ones are shared. */
  extend(patterns: readonly Pattern<Meaning>[]): PatternList<Meaning>
}

/** Package `ignore` remembers each path that it was asked about; it starts anew after this many, some megabytes. */
const most_remembered = 10_000

const git_like = { ignorecase: false, allowRelativePaths: true } as const

export function compilePatterns<Meaning>(patterns: readonly Pattern<Meaning>[]): PatternList<Meaning> {
  return extendList(ignore(git_like), [], patterns)
}

function extendList<Meaning>(
  base: Ignore,
  base_meanings: readonly Meaning[],
  patterns: readonly Pattern<Meaning>[],
): PatternList<Meaning> {
  const meanings = [...base_meanings, ...patterns.map(({ meaning }) => meaning)]
  const marked = patterns.map(({ pattern }, index) => ({ pattern, mark: String(base_meanings.length + index) }))
  const compiled = ignore(git_like).add(base).add(marked)
  let matcher = ignore(git_like).add(compiled)
  let asked = 0
  return {
    match(path) {
      if (++asked > most_remembered) {
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
  /** As written, without the negation and without trailing spaces. */
  readonly body: string
  readonly negative: boolean
}

/** One line of a .sluiceignore or one entry of `exclude`; undefined for what matches nothing: blank, comment, a bare slash. */
export function parsePattern(line: string): ParsedPattern | undefined {
  const trimmed = withoutTrailingSpaces(line)
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const negative = trimmed.startsWith('!')
  const body = negative ? trimmed.slice(1) : trimmed
  return /^\/*$/.test(body) ? undefined : { body, negative }
}

/** Trailing spaces do not count unless the last is quoted by a backslash (gitignore(5)). */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end -= 1
  if (end === line.length) return line
  let backslashes = 0
  while (backslashes < end && line[end - 1 - backslashes] === '\\') backslashes += 1
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

/** A pattern without a slash, but for one at its end, speaks of names at any depth; others are relative to their file's folder. */
export function isNamePattern(body: string): boolean {
  const slash = body.indexOf('/')
  return slash < 0 || slash === body.length - 1
}

/** The same pattern for paths relative to the root, when it was written in `directory` (relative, '' for the root itself). */
export function anchorPattern({ body, negative }: ParsedPattern, directory: string): string {
  const sign = negative ? '!' : ''
  if (directory === '') return sign + body
  const below = `/${directory.replace(/[\\*?[]/g, '\\$&')}`
  if (!isNamePattern(body)) return `${sign}${below}/${body.startsWith('/') ? body.slice(1) : body}`
  // `**` beside nothing is one `*`; left alone it would become a globstar here.
  return `${sign}${below}/**/${body.replace(/^\*{2,}(?=\/?$)/, '*')}`
}
