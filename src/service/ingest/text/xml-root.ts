/** UTF-16 units before the first element. A licence in a comment takes a page or two. */
const max_prolog_length = 65_536
/** Of the first tag, which may name many namespaces. */
const max_tag_length = 16_384

/** A declaration or comment before the first element. */
const prolog = /\s+|<\?[^>]*>|<!--[\s\S]*?-->|<!doctype(?:[^>[]|\[[^\]]*\])*>/iy

/** The first tag of XML, behind declarations and comments; empty if the text is none. */
export function rootTag(text: string): string {
  const start = text.slice(0, max_prolog_length)
  let at = 0
  prolog.lastIndex = 0
  while (prolog.test(start)) at = prolog.lastIndex
  const [tag] = text.slice(at, at + max_tag_length).split('>', 1)
  return /^<[\w:]/.test(tag!) ? `${tag}>` : ''
}

/** True for a document of OpenDocument in one XML file (.fodt and others). */
export function isFlatDocument(text: string): boolean {
  return /^<(?:\w+:)?document\b[^>]*opendocument/i.test(rootTag(text))
}
