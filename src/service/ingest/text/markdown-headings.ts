import type { NamedFile } from '../file-kind.ts'

export function isMarkdown({ filename, mime_type }: NamedFile): boolean {
  return (
    /\.(md|markdown|mdown|mkd|qmd|rmd)$/i.test(filename) || /^text\/markdown\b/i.test(mime_type)
  )
}

/** A fence of a block of code, a heading after number signs, or one above a line (CommonMark). */
const line_kinds =
  /^ {0,3}(?<fence>`{3,}|~{3,})|^ {0,3}(?<signs>#{1,6})[ \t]+(?<words>\S.*)$|^(?<above>\S[^\n]*)\n(?<line>=+|-{2,})[ \t]*\r?$/gm

/** The headings of a text in Markdown, with the places where they begin. */
export function headingsIn(text: string): { at: number; level: number; words: string }[] {
  const found: { at: number; level: number; words: string }[] = []
  let fence: string | undefined
  for (const { index: at, groups } of text.matchAll(line_kinds)) {
    const { fence: mark, signs, words, above, line } = groups as Record<string, string | undefined>
    if (mark !== undefined) {
      if (fence === undefined) fence = mark
      else if (mark.startsWith(fence)) fence = undefined
    } else if (fence === undefined && signs !== undefined) {
      found.push({ at, level: signs.length, words: words!.replace(/\s#+\s*$/, '') })
    } else if (fence === undefined && above !== undefined && !/^[-*+>|]|^\d+[.)] /.test(above)) {
      found.push({ at, level: line!.startsWith('=') ? 1 : 2, words: above })
    }
  }
  return found
}
