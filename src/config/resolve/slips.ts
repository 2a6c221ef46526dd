import { type Fault, type Path, pathText } from '../faults.ts'
import { field } from './local-paths.ts'

/**
 * Makes one fault of those that one slip causes: a field with a wrong name or indentation is
 * missing in its section, and unknown where it stands. `sections`: the fields at the top.
 */
export function withoutEchoes(
  faults: readonly Fault[],
  value: unknown,
  sections: readonly string[],
): Fault[] {
  const missing = faults.filter(({ kind }) => kind === 'missing')
  const echoes = new Set<Fault>()
  const kept = faults.map((fault) => {
    const above = missing.find((other) => isDivided(other.path, fault.path, value))
    if (above) {
      echoes.add(above)
      return { ...fault, path: fault.path.slice(0, -1), message: divided }
    }
    if (fault.kind === 'missing' && isBare(fault.path, missing))
      return { ...fault, path: fault.path.slice(0, -1), message: divided }
    if (fault.kind === 'missing' && hasKey(value, fault.path))
      return { ...fault, message: 'is empty' }
    if (fault.kind !== 'unknown') return fault
    const name = fault.path.at(-1)
    const beside = missing.filter(({ path }) => aroundOf(path) === aroundOf(fault.path))
    const typo = beside.find(({ path }) => fault.message.endsWith(` ${path.at(-1)}?`))
    const home = missing.find(({ path }) => path.at(-1) === name)
    const empty = beside.find(({ path }) => hasKey(value, path))
    const cause = home ?? empty ?? typo
    if (!cause && sections.includes(String(name)) && fault.path.length > 1)
      return { ...fault, message: belongsTo('the top of the file') }
    const alone = beside.length === 1 && beside[0]
    if (!cause && alone && isOnly(fault, faults)) {
      echoes.add(alone)
      return { ...fault, message: `there is no such field; ${alone.path.at(-1)} is missing here` }
    }
    if (!cause) return fault
    // The first of several fields beside their empty section is the fault.
    if (echoes.has(cause)) echoes.add(fault)
    echoes.add(cause)
    if (cause === typo) return fault
    const section = pathText(empty?.path ?? cause.path.slice(0, -1)) || 'the top of the file'
    return { ...fault, message: belongsTo(section) }
  })
  const names = faults.filter(({ path: [list, , key] }) => list === 'folders' && key === 'name')
  const entries = kept.filter(({ message }) => message === divided).map(({ path }) => path)
  return kept.filter(
    (fault, at) =>
      !echoes.has(faults[at]!) &&
      !repeats(fault, names, value) &&
      !entries.some((path) => isInside(fault.path, path)),
  )
}

function isInside(path: Path, around: Path): boolean {
  return path.length > around.length && pathText(path.slice(0, around.length)) === pathText(around)
}

function belongsTo(section: string): string {
  return `is indented as no part of ${section}, where it belongs`
}

/** True for a wrong name of a folder that a prompt names as it is written there. */
function repeats({ path, message }: Fault, names: readonly Fault[], value: unknown): boolean {
  if (path.at(-2) !== 'folders') return false
  const is_same = (name: Fault) =>
    name.message === message && valueAt(value, name.path) === valueAt(value, path)
  return names.some(is_same)
}

const divided = 'is an entry of its own: take its dash away, if it belongs to the one above'

/** True if one entry of a list misses a field that the next has, and the next misses another. */
function isDivided(missing: Path, next: Path, value: unknown): boolean {
  const [at, name] = missing.slice(-2)
  const list = missing.slice(0, -2)
  if (typeof at !== 'number' || pathText(next.slice(0, -1)) !== pathText([...list, at + 1]))
    return false
  return hasKey(value, [...list, at + 1, name!]) && !hasKey(value, next)
}

/** True if a later entry of a list misses several fields: one with a dash too much. */
function isBare(path: Path, missing: readonly Fault[]): boolean {
  const at = path.at(-2)
  const beside = missing.filter((other) => aroundOf(other.path) === aroundOf(path))
  return typeof at === 'number' && at > 0 && beside.length > 1
}

/** True for the one field of its section that is unknown and resembles no other. */
function isOnly(fault: Fault, faults: readonly Fault[]): boolean {
  const unknown = faults.filter(
    ({ kind, path }) => kind === 'unknown' && aroundOf(path) === aroundOf(fault.path),
  )
  return unknown.length === 1 && !fault.message.includes('did you mean')
}

function aroundOf(path: Path): string {
  return pathText(path.slice(0, -1))
}

/** True if the field is written, with nothing after its colon. */
function hasKey(value: unknown, path: Path): boolean {
  return Object.hasOwn(Object(valueAt(value, path.slice(0, -1))), String(path.at(-1)))
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner: unknown, key) => field(inner, String(key)), value)
}
