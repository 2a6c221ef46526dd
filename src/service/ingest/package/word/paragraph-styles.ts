import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'
import { levelNumber } from './lists.ts'

/** What a paragraph or a style says about its place in a list. */
export interface ListPlace {
  /** The style of a paragraph, or the one that a style is based on. */
  style?: string
  /** `0` for none. */
  list?: string
  /** 0 to 8. */
  level?: number
  /** Of a heading, 0 to 8; 9 for other texts. */
  outline?: number
}

/** The places that styles have in lists, by their ids; that of paragraphs without a style by ''. */
export async function readParagraphStyles(
  archive: Archive,
  part: string,
): Promise<Map<string, ListPlace>> {
  const places = new Map<string, ListPlace>()
  let place: ListPlace = {}
  await walkXml(archive, part, {
    open(name, attributes) {
      const { styleId = '', type, val } = attributes
      if (name === 'style') {
        place = {}
        places.set(styleId, place)
        if (type === 'paragraph' && /^(1|true|on)$/.test(attributes.default ?? ''))
          places.set('', { style: styleId })
      }
      if (name === 'basedOn' && val) place.style = val
      setListPlace(place, name, val)
    },
  })
  return places
}

export function setListPlace(place: ListPlace, name: string, val = ''): void {
  if (name === 'numId') place.list = val
  if (name === 'ilvl') place.level = levelNumber(val)
  if (name === 'outlineLvl') place.outline = Number(val)
}

/** Styles are based on one another; a chain that is longer is a circle. */
const max_styles = 32

/** The level of a heading, from 1; undefined for another paragraph. */
export function headingLevel(
  place: ListPlace,
  styles: ReadonlyMap<string, ListPlace>,
): number | undefined {
  let at: ListPlace | undefined = place
  for (let step = 0; at && step < max_styles; step++) {
    if (at.outline !== undefined) return at.outline < 9 ? at.outline + 1 : undefined
    at = at.style === undefined ? undefined : styles.get(at.style)
  }
  return undefined
}
