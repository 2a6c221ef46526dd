import { walkXml } from '../xml.ts'

/** A level of a list, as ECMA-376, 17.9.6 has it. */
export interface Level {
  start: number
  format: string
  /** Such as `%1.%2`. */
  pattern: string
  /** The number of the level that begins this one anew, from 1; 0 for none. */
  restart: number | undefined
  /** All numbers are shown as digits, as lawyers write them. */
  is_legal: boolean
  /** The style whose paragraphs are on this level. */
  style: string
}

/** A list that paragraphs name. Lists of one definition share its counters. */
export interface List {
  definition: string
  /** Levels that differ from those of the definition, by level. */
  levels: Level[]
  /** Numbers to begin with, by level. */
  starts: number[]
}

export interface Lists {
  lists: ReadonlyMap<string, List>
  /** The levels of each definition. */
  definitions: ReadonlyMap<string, readonly Level[]>
  /** The style that has the levels of a definition instead. */
  styles: ReadonlyMap<string, string>
}

export async function readLists(chunks: AsyncIterable<Buffer>): Promise<Lists> {
  const lists = new Map<string, List>()
  const definitions = new Map<string, Level[]>()
  const styles = new Map<string, string>()
  let definition = ''
  let list: List | undefined
  let overridden = 0
  let level: Level | undefined
  await walkXml(chunks, {
    open(name, { abstractNumId = '', numId = '', ilvl = '', val = '' }) {
      if (name === 'abstractNum') {
        definition = abstractNumId
        definitions.set(definition, [])
      }
      if (name === 'num') {
        list = { definition: '', levels: [], starts: [] }
        lists.set(numId, list)
      }
      if (name === 'abstractNumId' && list) list.definition = val
      if (name === 'numStyleLink') styles.set(definition, val)
      if (name === 'lvlOverride') overridden = levelNumber(ilvl)
      if (name === 'startOverride' && list) list.starts[overridden] = numberIn(val)
      if (name === 'lvl') {
        level = newLevel()
        const levels = list ? list.levels : definitions.get(definition)
        if (levels) levels[levelNumber(ilvl)] = level
      }
      if (level) setLevel(level, name, val)
    },
    close(name) {
      if (name === 'lvl') level = undefined
      if (name === 'num') list = undefined
    },
  })
  return { lists, definitions, styles }
}

function newLevel(): Level {
  return {
    start: 0,
    format: 'decimal',
    pattern: '',
    restart: undefined,
    is_legal: false,
    style: '',
  }
}

function setLevel(level: Level, name: string, val: string): void {
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
