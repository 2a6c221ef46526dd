/**
 * The text with its last code fence closed. What is put behind a text with an open fence would be
 * shown as code. Fences as in CommonMark 0.31, section 4.5. Pure.
 */
export function withClosedFence(text: string): string {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const [, mark, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (mark === undefined) continue
    if (open === undefined) {
      if (mark.startsWith('~') || !info.includes('`')) open = mark
    } else if (mark.startsWith(open) && info.trim() === '') open = undefined
  }
  return open === undefined ? text : `${text}\n${open}`
}
