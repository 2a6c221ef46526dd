import type { XmlAttributes } from '../xml.ts'

const no_size = /^0*\.?0*[a-z]+$/

/** Knows which sheets, slides, rows and columns are hidden: by themselves, a group, or a style. */
export class HiddenParts {
  readonly #styles = new Set<string>()
  /** The style that is read. Styles stand before the body. */
  #style = ''
  /** The open groups of rows or columns that are hidden. */
  #groups = 0

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'style') this.#style = attributes.name ?? ''
    if (isHiddenStyle(name, attributes)) this.#styles.add(this.#style)
    if (isHiddenGroup(name, attributes)) this.#groups++
  }

  close(name: string, attributes: XmlAttributes): void {
    if (isHiddenGroup(name, attributes)) this.#groups--
  }

  has(attributes: XmlAttributes): boolean {
    const { visibility = '', 'style-name': style = '' } = attributes
    return this.#groups > 0 || /^(collapse|filter)$/.test(visibility) || this.#styles.has(style)
  }
}

function isHiddenStyle(name: string, attributes: XmlAttributes): boolean {
  switch (name) {
    case 'table-properties':
      return attributes.display === 'false'
    case 'drawing-page-properties':
      return attributes.visibility === 'hidden'
    case 'table-row-properties':
      return no_size.test(attributes['row-height'] ?? '')
    case 'table-column-properties':
      return no_size.test(attributes['column-width'] ?? '')
    default:
      return false
  }
}

function isHiddenGroup(name: string, { display }: XmlAttributes): boolean {
  return /^table-(row|column)-group$/.test(name) && display === 'false'
}
