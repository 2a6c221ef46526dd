import { formattedNumber } from '../number-format.ts'
import type { Level, List, Lists } from './lists.ts'
import type { ListPlace, ParagraphStyles } from './paragraph-styles.ts'

/** Counts the paragraphs of lists, and writes their numbers as Word shows them. */
export class Numbering {
  readonly #lists: Lists
  readonly #styles: ParagraphStyles
  /** The present number of each level, by definition. */
  readonly #counts = new Map<string, (number | undefined)[]>()
  readonly #begun = new Set<List>()

  constructor(lists: Lists, styles: ParagraphStyles) {
    this.#lists = lists
    this.#styles = styles
  }

  /** The number of the next paragraph, such as `12.3`, `§ 4.2` or `a)`; empty if it has none. */
  next(place: ListPlace): string {
    const styles = this.#stylesOf(place)
    const list = this.#lists.lists.get([place, ...styles.values()].find(isInList)?.list ?? '')
    const definition = list && this.#definitionOf(list)
    if (definition === undefined) return ''
    const levels = this.#levelsOf(list!, definition)
    const number = place.level ?? this.#styledLevel(place, styles, levels)
    const level = levels[number]
    if (level === undefined) return ''
    const counts = this.#count(list!, definition, levels, number)
    return numberText(level, levels, counts)
  }

  /** The style of a paragraph and those that it is based on, by id. */
  #stylesOf({ style }: ListPlace): Map<string, ListPlace> {
    const found = new Map<string, ListPlace>()
    let id = style ?? this.#styles.default_style
    let next = this.#styles.places.get(id)
    // Styles can be based on one another in a circle.
    while (next !== undefined && !found.has(id)) {
      found.set(id, next)
      id = next.style ?? ''
      next = this.#styles.places.get(id)
    }
    return found
  }

  /** A level can name its style, and a style its level. A list of the paragraph itself begins at 0. */
  #styledLevel(place: ListPlace, styles: ReadonlyMap<string, ListPlace>, levels: readonly Level[]) {
    if (place.list !== undefined) return 0
    const named = [...styles.values()].find(({ level }) => level !== undefined)?.level
    return (
      named ??
      Math.max(
        0,
        levels.findIndex((level) => level && styles.has(level.style)),
      )
    )
  }

  /** A definition can leave its levels to a style, whose list has them. */
  #definitionOf({ definition }: List): string | undefined {
    const { definitions, lists, styles } = this.#lists
    const style = this.#styles.places.get(styles.get(definition) ?? '')
    const found = lists.get(style?.list ?? '')?.definition ?? definition
    return definitions.has(found) ? found : undefined
  }

  #levelsOf(list: List, definition: string): Level[] {
    const levels = [...this.#lists.definitions.get(definition)!]
    // `forEach` of a sparse array visits only what was put.
    list.levels.forEach((level, at) => {
      levels[at] = level
    })
    return levels
  }

  /** Counts a paragraph; the levels above it that were not counted are shown as they begin. */
  #count(list: List, definition: string, levels: readonly Level[], number: number): number[] {
    const counts = this.#counts.get(definition) ?? []
    this.#counts.set(definition, counts)
    if (!this.#begun.has(list)) {
      this.#begun.add(list)
      list.starts.forEach((_, at) => {
        counts[at] = undefined
      })
    }
    const startOf = (at: number) => list.starts[at] ?? levels[at]?.start ?? 0
    const count = counts[number]
    counts[number] = count === undefined ? startOf(number) : count + 1
    for (let below = number + 1; below < levels.length; below++) {
      if (number < (levels[below]?.restart ?? below)) counts[below] = undefined
    }
    return levels.map((_, at) => counts[at] ?? startOf(at))
  }
}

function isInList({ list }: ListPlace): boolean {
  return list !== undefined
}

function numberText(level: Level, levels: readonly Level[], counts: readonly number[]): string {
  // The sign of a bullet is often one of a font of symbols.
  if (level.format === 'bullet') return formattedNumber(0, level.format)
  const text = level.pattern.replace(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1
    const { format = 'decimal' } = levels[at] ?? {}
    const is_digits = level.is_legal && format !== 'none'
    return formattedNumber(counts[at] ?? 0, is_digits ? 'decimal' : format)
  })
  return text.trim()
}
