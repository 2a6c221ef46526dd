import type { Archive } from '../archive.ts'
import { type Level, LevelCounts } from '../list-numbers.ts'
import { walkXml } from '../xml.ts'

/** A level of a list, as ECMA-376, 17.9.6 has it. */
interface WordLevel extends Level {
  /** The style whose paragraphs are on this level. */
  style?: string
}

/** What lists have in common. */
class Definition {
  readonly levels: WordLevel[] = []
  readonly counts = new LevelCounts()
  /** The style whose list stands for the lists of this definition. */
  link: string | undefined
}

/** A list that paragraphs name. */
export interface List {
  definition: Definition
  /** Those of the definition, but for those that this list has of its own. */
  levels: WordLevel[]
  /** Numbers to begin with, by level. */
  starts: number[]
  has_begun: boolean
}

/** The lists of a document by id. Definitions stand before lists. */
export async function readLists(archive: Archive, part: string): Promise<Map<string, List>> {
  const definitions = new Map<string, Definition>()
  const lists = new Map<string, List>()
  let definition = new Definition()
  let { levels } = definition
  let starts: number[] = []
  let id = ''
  let at = 0
  await walkXml(archive, part, {
    open(name, { abstractNumId = '', numId = '', ilvl = '', val = '' }, parent) {
      if (name === 'abstractNum') {
        definition = new Definition()
        definitions.set(abstractNumId, definition)
        levels = definition.levels
      }
      if (name === 'numStyleLink') definition.link = val
      if (name === 'num') id = numId
      if (name === 'abstractNumId') {
        definition = definitions.get(val) ?? new Definition()
        levels = [...definition.levels]
        starts = []
        lists.set(id, { definition, levels, starts, has_begun: false })
      }
      if (name === 'lvl' || name === 'lvlOverride') at = levelNumber(ilvl)
      if (name === 'startOverride') starts[at] = numberIn(val)
      if (name === 'lvl') levels[at] = { start: 0, format: 'decimal', pattern: '' }
      const level = levels[at]
      if (parent === 'lvl' && level) setLevel(level, name, val)
    },
  })
  return lists
}

function setLevel(level: WordLevel, name: string, val: string): void {
  if (name === 'start') level.start = numberIn(val)
  if (name === 'numFmt') level.format = val
  if (name === 'lvlText') level.pattern = val
  if (name === 'lvlRestart') level.restart = numberIn(val)
  if (name === 'isLgl') level.is_legal = isOn(val)
  if (name === 'pStyle') level.style = val
}

/** A property that is there without a value is on. */
export function isOn(val: string): boolean {
  return !/^(0|false|off|none)$/i.test(val)
}

const last_level = 8

/** Lists have nine levels. */
export function levelNumber(val: string): number {
  return Math.min(Math.max(numberIn(val), 0), last_level)
}

function numberIn(val: string): number {
  return Number.parseInt(val, 10) || 0
}
