/** Control sequences of ECMA-48 and VT100 that programs here use, at the start of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const control = /^\u001b(?:\[(?<parameters>[?\d;]*)(?<final>[A-Za-z])|(?<single>[78]))/

/**
 * The lines that a terminal shows in the end. A line that the terminal wraps is one line here.
 * Follows these control sequences: cursor column, erasing, wrapping on and off, saved position.
 */
export function screenOf(written: string, columns: number): string[] {
  const rows: string[][] = [[]]
  const wrapped = new Set<number>()
  let [row, column, saved, wraps] = [0, 0, [0, 0], true] as [
    number,
    number,
    [number, number],
    boolean,
  ]
  const goTo = (to_row: number) => {
    row = to_row
    while (rows.length <= row) rows.push([])
  }
  const put = (character: string) => {
    if (column === columns && wraps) {
      goTo(row + 1)
      wrapped.add(row)
      column = 0
    }
    const at = Math.min(column, columns - 1)
    while (rows[row]!.length < at) rows[row]!.push(' ')
    rows[row]![at] = character
    column = at + 1
  }
  for (let rest = written; rest !== ''; ) {
    const { 0: found, groups } = control.exec(rest) ?? {}
    const [character = ''] = rest
    rest = rest.slice((found ?? character).length)
    if (groups?.single === '7') saved = [row, column]
    else if (groups?.single === '8') [row, column] = saved
    else if (groups?.final === 'K') rows[row]!.length = Math.min(column, rows[row]!.length)
    else if (groups?.final === 'G') column = Number(groups.parameters || 1) - 1
    else if (groups?.parameters === '?7') wraps = groups.final === 'h'
    else if (found !== undefined) continue
    else if (character === '\r') column = 0
    else if (character === '\n') goTo(row + 1)
    else put(character)
  }
  const lines: string[] = []
  for (const [at, characters] of rows.entries()) {
    const text = characters.join('')
    if (wrapped.has(at)) lines[lines.length - 1] += text
    else lines.push(text)
  }
  return lines
}
