import type { DocumentText } from '../document-text.ts'

/** Files and addresses, which programs fill in as alternative texts. */
const file_name = /^\S*[\w)]\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp|heic|pdf)$|^https?:\S*$/i
/** Names that programs give to shapes. */
const shape_name = /^(image|picture|bild|grafik|photo|img|logo)?[\s_-]*\d*$/i

/**
 * Adds the alternative text of a picture, to be found. It is no word of the document's own, because
 * it does not replace what stands in the picture.
 */
export function addAltText(
  { descr = '', title = '', alt = '' }: Record<string, string>,
  text: DocumentText,
): void {
  for (const words of new Set([title.trim(), (descr || alt).trim()])) {
    if (file_name.test(words) || shape_name.test(words)) continue
    text.addLabel(`Picture: ${words}\n\n`)
  }
}
