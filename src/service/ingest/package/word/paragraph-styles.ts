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
}

export interface ParagraphStyles {
  /** The style of paragraphs that name none. */
  default_style: string
  places: ReadonlyMap<string, ListPlace>
}

export async function readParagraphStyles(chunks: AsyncIterable<Buffer>): Promise<ParagraphStyles> {
  const places = new Map<string, ListPlace>()
  let default_style = ''
  let place: ListPlace = {}
  await walkXml(chunks, {
    open(name, attributes) {
      const { styleId = '', type } = attributes
      if (name === 'style') {
        place = {}
        places.set(styleId, place)
        if (type === 'paragraph' && /^(1|true|on)$/.test(attributes.default ?? ''))
          default_style = styleId
      }
      if (name === 'basedOn') place.style = attributes.val ?? ''
      setListPlace(place, name, attributes.val)
    },
  })
  return { default_style, places }
}

export function setListPlace(place: ListPlace, name: string, val = ''): void {
  if (name === 'numId') place.list = val
  if (name === 'ilvl') place.level = levelNumber(val)
}
