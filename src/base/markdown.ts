import { printable } from '../base/format.ts'

/** A name from the disk as a code span of CommonMark: nothing in it is markup, and it stays in its line. */
export function codeSpan(text: string): string {
  const shown = printable(text)
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 || shown.startsWith(' ') || shown === ''
    ? `${fence} ${shown} ${fence}`
    : `${fence}${shown}${fence}`
}

/** A text in one line whose punctuation means nothing (CommonMark, backslash escapes). */
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
}
