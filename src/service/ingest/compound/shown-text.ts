/** Signs of Word that show something. Other controls are marks of pictures, notes and fields. */
const shown = new Map([
  ['\t', '\t'],
  ['\n', '\n'],
  ['\r', '\n'],
  ['\v', '\n'],
  ['\f', '\n\n'],
  // The end of a cell. A second one ends the row.
  ['\u0007', '\t'],
  // The end of a column.
  ['\u000e', '\n'],
  ['\u001e', '\u2011'],
])

/** The text that a story of a Word document shows. `is_margin`: each line counts once. */
export function shownText(story: string, is_margin: boolean): string {
  const lines = withoutInstructions(story)
    .replaceAll('\u0007\u0007', '\n')
    .replace(/\p{Cc}/gu, (sign) => shown.get(sign) ?? '')
    .split('\n')
  return (is_margin ? [...new Set(lines)] : lines).join('\n').trim()
}

/** A field begins, has its instruction, then what it shows, and ends. Fields can be in both. */
function withoutInstructions(story: string): string {
  const shown_pieces: string[] = []
  /** Open fields: true while the instruction has not ended. */
  const fields: boolean[] = []
  let instructions = 0
  for (const piece of story.split(/(\p{Cc})/u)) {
    if (piece === '\u0013') {
      fields.push(true)
      instructions++
    } else if (piece === '\u0014' || piece === '\u0015') {
      if (fields.pop()) instructions--
      if (piece === '\u0014') fields.push(false)
    } else if (instructions === 0) shown_pieces.push(piece)
  }
  return shown_pieces.join('')
}
