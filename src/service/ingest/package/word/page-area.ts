import type { Archive } from '../archive.ts'

const emu_a_twip = 635
/** A4. */
export const usual_page_emu2 = 11_906 * 16_838 * emu_a_twip ** 2
/** Longer than the element of a page size. */
const max_element_length = 200

/** The area of the largest page. Word writes it behind the text, where a picture is long past. */
export async function pageArea(archive: Archive, main: string): Promise<number> {
  let largest = 0
  let before = ''
  for await (const chunk of archive.stream(main)) {
    const text = before + chunk.toString('latin1')
    for (const [element] of text.matchAll(/<(?:\w+:)?pgSz\s[^>]*>/g)) {
      const side = (name: string) =>
        Number(new RegExp(`[\\s:]${name}\\s*=\\s*["'](\\d+)`).exec(element)?.[1])
      largest = Math.max(largest, side('w') * side('h') * emu_a_twip ** 2 || 0)
    }
    before = text.slice(-max_element_length)
  }
  return largest || usual_page_emu2
}
