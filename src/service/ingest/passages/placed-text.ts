import type { ReadDocument } from '../document-text.ts'

/** A text in which a line such as `[page 3]` says where a page, slide or sheet begins. */
export function placedText({ text, marks = [] }: Pick<ReadDocument, 'text' | 'marks'>): string {
  const parts: string[] = []
  let from = 0
  for (const mark of marks) {
    if (!('unit' in mark)) continue
    parts.push(text.slice(from, mark.at), `\n[${mark.unit}]\n`)
    from = mark.at
  }
  return [...parts, text.slice(from)].join('').trim()
}

/** The first and the last place that these lines of a text name; none where it names none. */
export function placesIn(text: string): string[] {
  const found = [...text.matchAll(place_line)].map(([, place]) => place!)
  return [...new Set([...found.slice(0, 1), ...found.slice(-1)])]
}

const place_line = /^\[((?:page|slide|sheet) [^\]\n]{1,200})\]$/gm
