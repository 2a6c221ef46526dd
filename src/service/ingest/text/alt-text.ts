import type { FlowText } from './flow-text.ts'

/** Files and addresses, which programs fill in as alternative texts. */
const file_name = /^\S*[\w)]\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp|heic|pdf)$|^https?:\S*$/i
/** Names that programs give to shapes. */
const shape_name = /^(image|picture|bild|grafik|photo|img|logo)?[\s_-]*\d*$/i

/**
 * Adds the alternative texts of a picture behind its paragraph, to be found. They are no words of
 * the document's own, because they do not replace what stands in the picture.
 */
export function addAltText(texts: readonly (string | undefined)[], flow: FlowText): void {
  for (const words of new Set(texts.map((text = '') => text.replace(/\s+/g, ' ').trim()))) {
    if (isAltText(words)) flow.addLabelApart(`Picture: ${words}`)
  }
}

/** False for what a program fills in. */
export function isAltText(words: string): boolean {
  return !file_name.test(words.trim()) && !shape_name.test(words.trim())
}
