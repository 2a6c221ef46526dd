import type { List } from './lists.ts'
import type { ListPlace } from './paragraph-styles.ts'

/** Counts the paragraphs of lists, and writes their numbers as Word shows them. */
export class Numbering {
  readonly #lists: ReadonlyMap<string, List>
  readonly #styles: ReadonlyMap<string, ListPlace>

  constructor(lists: ReadonlyMap<string, List>, styles: ReadonlyMap<string, ListPlace>) {
    this.#lists = lists
    this.#styles = styles
  }

  /** The number of the next paragraph, such as `12.3`, `§ 4.2` or `a)`; empty if it has none. */
  next(place: ListPlace): string {
    const styles = this.#stylesOf(place.style)
    const list = this.#listOf([place, ...styles.values()].find(isInList)?.list)
    if (!list) return ''
    const { counts } = list.definition
    // `forEach` of a sparse array visits only what was put.
    if (!list.has_begun)
      list.starts.forEach((_, at) => {
        counts.begin(at)
      })
    list.has_begun = true
    const at = place.level ?? (isInList(place) ? 0 : styledLevel(styles, list))
    return counts.next(at, list.levels, list.starts)
  }

  /** A style and those that it is based on, by id. */
  #stylesOf(style = ''): Map<string, ListPlace> {
    const found = new Map<string, ListPlace>()
    let id: string | undefined = style
    // Styles can be based on one another in a circle.
    while (id !== undefined && !found.has(id)) {
      const place: ListPlace = this.#styles.get(id) ?? {}
      found.set(id, place)
      id = place.style
    }
    return found
  }

  /** A definition can leave its levels to a style, whose list has them. */
  #listOf(id = ''): List | undefined {
    const list = this.#lists.get(id)
    const link = list?.definition.link
    if (link === undefined) return list
    return this.#lists.get(this.#styles.get(link)?.list ?? '') ?? list
  }
}

function isInList({ list }: ListPlace): boolean {
  return list !== undefined
}

/** A level can name its style, and a style its level. */
function styledLevel(styles: ReadonlyMap<string, ListPlace>, { levels }: List): number {
  const named = [...styles.values()].find(({ level }) => level !== undefined)?.level
  const of_style = levels.findIndex((level) => level?.style && styles.has(level.style))
  return named ?? Math.max(0, of_style)
}
