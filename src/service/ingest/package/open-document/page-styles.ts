import type { Archive } from '../archive.ts'
import { areaOf } from '../area.ts'
import { type Faults, readOptional } from '../optional-part.ts'
import { walkXml, type XmlListener } from '../xml.ts'
import type { OpenLists } from './open-lists.ts'

export interface PageStyles {
  /** The area of a page in square points. */
  page_area: number
  /** The headers and footers of the pages, each once. */
  margins: readonly string[]
}

/** A page of a presentation without its own size: 28 cm by 21 cm. */
const usual_area = (28 * 72 * 21 * 72) / 2.54 ** 2
const margin_name = /^(header|footer)(-left|-first)?$/
/** Fields that a program fills in on each page: a number says nothing about the document. */
const page_fields = new Set(['page-number', 'page-count', 'sheet-name', 'date', 'time'])

/** Reads what `styles.xml` says of pages and lists. */
export async function readPageStyles(
  archive: Archive,
  lists: OpenLists,
  faults: Faults,
): Promise<PageStyles> {
  const margins = new Set<string>()
  let page_area = usual_area
  let margin: string | undefined
  const listener: XmlListener = {
    open(name, attributes) {
      lists.open(name, attributes)
      if (name === 'page-layout-properties')
        page_area = areaOf(attributes['page-width'], attributes['page-height']) ?? page_area
      if (margin_name.test(name)) margin = ''
      // What parts words: paragraphs, tabs, spaces, lines.
      if (/^(p|h|tab|s|line-break)$/.test(name)) margin &&= `${margin} `
      // A document in one file has its body here, too.
      return name !== 'body' && !page_fields.has(name)
    },
    text(piece) {
      if (margin !== undefined) margin += piece
    },
    close(name) {
      if (!margin_name.test(name)) return
      const words = margin?.replace(/\s+/g, ' ').trim()
      if (words) margins.add(words)
      margin = undefined
    },
  }
  const parts = ['styles.xml'].filter(archive.has)
  await readOptional(archive, parts, faults, (part) => walkXml(archive, part, listener))
  return { page_area, margins: [...margins] }
}
