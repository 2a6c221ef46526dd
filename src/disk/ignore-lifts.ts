import { type DefaultIgnore, defaultsNamedBy } from './default-ignores.ts'
import { anchorPattern, compilePatterns, isNamePattern, type ParsedPattern } from './ignore-patterns.ts'

/**
 * A lift brings back what a default ignores, for a person who asks for exactly that: its pattern must bear the mark of the
 * default, as `!*.tmp` or `!node_modules/` do. So the usual "everything but documents" (`*`, `!*.docx`) does not bring back
 * lock files and hidden files whose names happen to end the same.
 */
export interface Lift {
  readonly rule: DefaultIgnore
  /** `path` is relative to the root and `name` its last part; both end in `/` for a directory. */
  covers(name: string, path: string): boolean
}

/** A negation, of a .sluiceignore in `directory` or of `exclude`, lifts what its last segment names. */
export function liftsOfNegation({ body }: ParsedPattern, directory: string): Lift[] {
  const last = body.split('/').findLast((segment) => segment !== '')
  return last === undefined ? [] : defaultsNamedBy(last).map((rule) => liftBy(rule, body, directory))
}

/** `include: ['.config/*.yaml']` asks for what is in `.config`, so each of its folders may be a lift. */
export function liftsOfInclude({ body }: ParsedPattern): Lift[] {
  const segments = body.split('/')
  return segments.flatMap((segment, index) => {
    if (segment === '') return []
    const whole = index === segments.length - 1
    const prefix = whole ? body : `${segments.slice(0, index + 1).join('/')}/`
    const anchored = !whole && isNamePattern(prefix) && !isNamePattern(body) ? `/${prefix}` : prefix
    return defaultsNamedBy(segment).map((rule) => liftBy(rule, anchored, ''))
  })
}

function liftBy(rule: DefaultIgnore, body: string, directory: string): Lift {
  const below = directory === '' ? '' : `${directory}/`
  if (isNamePattern(body)) {
    const names = compilePatterns([{ pattern: body, meaning: true }])
    return { rule, covers: (name, path) => path.startsWith(below) && names.match(name) !== undefined }
  }
  const paths = compilePatterns([{ pattern: anchorPattern({ body, negative: false }, directory), meaning: true }])
  return {
    rule,
    // The pattern must speak of the path itself: being inside a lifted folder lifts nothing.
    covers: (_name, path) => paths.match(path) !== undefined && paths.match(parentOf(path)) === undefined,
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)
}
