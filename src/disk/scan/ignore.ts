import { basename, join } from 'node:path'
import {
  anchorPattern,
  compilePatterns,
  isNamePattern,
  type ParsedPattern,
  type Pattern,
  type PatternList,
  parsePattern,
} from '../../base/text/ignore-patterns.ts'
import { type DefaultIgnore, defaultIgnore, defaultsNamedBy } from '../default-ignores.ts'
import { parentOf } from './directory-names.ts'
import { ignore_file_name, isNarrower, narrower_ignored, readIgnoreFile } from './ignore-file.ts'

/** The config of one folder; patterns as in gitignore(5). */
export interface IgnoreSpec {
  /** If not empty, only matching files are uploaded. Directories need not match to be walked. */
  include: readonly string[]
  exclude: readonly string[]
  /** Also takes hidden files and folders. Other defaults, above all secrets, still hold. */
  dot_files: boolean
  /** `skip` ignores directories that fewer users can read than the root; absent: `warn`. */
  widening?: 'warn' | 'skip'
}

export interface Ignored {
  readonly ignored: true
  /** The pattern as written. If no `include` matches: all of them. */
  readonly rule: string
  /** `default`, `config include` (`exclude`, `widening`) or `<path of a .sluiceignore>:<line>`. */
  readonly source: string
  readonly reason: string
  /** A .sluiceignore cannot be read now, but maybe at the next check. */
  readonly passing?: true
}

type Verdict = { ignored: false } | Ignored

export type IgnoreRules = ReturnType<typeof createIgnoreRules>

/** The rules in one directory: its own and those of all directories above. */
export interface DirectoryRules {
  /** Set if a .sluiceignore here is unusable: its rules are unknown, so all here is ignored. */
  readonly closed: Ignored | undefined
  readonly patterns: PatternList<Ignored> | undefined
  readonly lifts: readonly Lift[]
}

/** Rules for a walk: it asks from the root downwards and knows each directory's entries. */
export function createWalkingRules(root: string, spec: IgnoreSpec) {
  const by_exclude = { source: 'config exclude', reason: 'excluded in the config' }
  const exclude = compileLines(spec.exclude, '', undefined, () => by_exclude)
  const include = compileInclude(spec.include)
  const by_default = new Map<DefaultIgnore, Ignored>()

  function judgeByDefault(
    rules: DirectoryRules,
    name: string,
    path: string,
    kind: 'file' | 'directory',
  ) {
    const isLifted = rules.lifts.length === 0 ? undefined : liftedBy(rules.lifts, name, path, kind)
    const rule = defaultIgnore(name, kind, spec.dot_files, isLifted)
    if (rule === undefined) return undefined
    let verdict = by_default.get(rule)
    if (verdict === undefined) {
      verdict = { ignored: true, rule: rule.rule, source: 'default', reason: rule.reason }
      by_default.set(rule, verdict)
    }
    return verdict
  }

  const by_config = {
    closed: undefined,
    patterns: undefined,
    lifts: [...exclude.lifts, ...include.lifts],
  }

  return {
    top: () => withIgnoreFile(root, by_config, ''),
    /** Enters a `directory` that is not ignored. Reads no disk if `has_ignore_file` is false. */
    enter(parent: DirectoryRules, directory: string, has_ignore_file: boolean): DirectoryRules {
      return has_ignore_file ? withIgnoreFile(root, parent, directory) : parent
    },
    /** `path`: `name` in the directory of `rules`. undefined: not ignored. One object per rule. */
    judge(
      rules: DirectoryRules,
      name: string,
      path: string,
      kind: 'file' | 'directory',
    ): Ignored | undefined {
      if (rules.closed !== undefined) return rules.closed
      const by_default = judgeByDefault(rules, name, path, kind)
      if (by_default !== undefined) return by_default
      const full = kind === 'directory' ? `${path}/` : path
      const by_pattern = exclude.patterns?.match(full) ?? rules.patterns?.match(full)
      if (by_pattern !== undefined) return by_pattern
      return kind === 'file' && include.patterns?.match(full) === undefined
        ? include.otherwise
        : undefined
    },
  }
}

function liftedBy(lifts: readonly Lift[], name: string, path: string, kind: 'file' | 'directory') {
  const slash = kind === 'directory' ? '/' : ''
  return (rule: DefaultIgnore) =>
    lifts.some((lift) => lift.rule === rule && lift.covers(name + slash, path + slash))
}

interface Compiled {
  patterns: PatternList<Ignored> | undefined
  lifts: Lift[]
}

function compileInclude(include: readonly string[]): Compiled & { otherwise: Ignored | undefined } {
  if (include.length === 0) return { patterns: undefined, lifts: [], otherwise: undefined }
  const otherwise: Ignored = {
    ignored: true,
    rule: include.join(', '),
    source: 'config include',
    reason: 'no include pattern of the config names it',
  }
  const parsed = include.map(parsePattern).filter((pattern) => pattern !== undefined)
  return {
    patterns: compilePatterns(
      parsed.map((pattern) => ({ pattern: anchorPattern(pattern, ''), meaning: otherwise })),
    ),
    lifts: parsed.flatMap((pattern) => (pattern.negative ? [] : liftsOfInclude(pattern))),
    otherwise,
  }
}

/** An unusable .sluiceignore closes its directory: files that a user excluded may be in it. */
function withIgnoreFile(root: string, parent: DirectoryRules, directory: string): DirectoryRules {
  const file = join(root, directory, ignore_file_name)
  const content = readIgnoreFile(file)
  if (content.kind === 'none') return parent
  if (content.kind === 'unusable') {
    const reason = `the ignore rules of this folder are not known (${content.why}), so nothing in it is uploaded`
    const rule = ignore_file_name
    return {
      ...parent,
      closed: { ignored: true, rule, source: `${file}:1`, reason, passing: true },
    }
  }
  const { patterns, lifts } = compileLines(content.lines, directory, parent.patterns, (line) => ({
    source: `${file}:${line}`,
    reason: 'excluded by a .sluiceignore file',
  }))
  return { closed: undefined, patterns, lifts: [...parent.lifts, ...lifts] }
}

function compileLines(
  lines: readonly string[],
  directory: string,
  base: PatternList<Ignored> | undefined,
  describe: (line: number) => { source: string; reason: string },
): Compiled {
  const patterns: Pattern<Ignored>[] = []
  const lifts: Lift[] = []
  for (const [index, line] of lines.entries()) {
    const parsed = parsePattern(line)
    if (parsed === undefined) continue
    const meaning: Ignored = { ignored: true, rule: line.trimEnd(), ...describe(index + 1) }
    patterns.push({ pattern: anchorPattern(parsed, directory), meaning })
    if (parsed.negative) lifts.push(...liftsOfNegation(parsed, directory))
  }
  if (patterns.length === 0) return { patterns: base, lifts }
  return { patterns: base?.extend(patterns) ?? compilePatterns(patterns), lifts }
}

/** Directories whose rules are kept. Beyond this number all are read again, one open each. */
const max_directories = 10_000

export function createIgnoreRules(root: string, spec: IgnoreSpec) {
  const rules = createWalkingRules(root, spec)
  const known = new Map<string, DirectoryRules | Ignored>()

  function rulesIn(directory: string): DirectoryRules | Ignored {
    let found = known.get(directory)
    if (found === undefined) {
      found = directory === '' ? rules.top() : goDown(directory)
      if (known.size >= max_directories) known.clear()
      // Rights can change without an event here, and with them the verdict.
      if (!isPassing(found) && spec.widening !== 'skip') known.set(directory, found)
    }
    return found
  }

  function goDown(directory: string): DirectoryRules | Ignored {
    const above = rulesIn(parentOf(directory))
    if ('ignored' in above) return above
    return judgeDirectory(above, directory) ?? rules.enter(above, directory, true)
  }

  function judgeDirectory(above: DirectoryRules, path: string): Ignored | undefined {
    const ignored = rules.judge(above, basename(path), path, 'directory')
    return (
      ignored ?? (spec.widening === 'skip' && isNarrower(root, path) ? narrower_ignored : undefined)
    )
  }

  return {
    /**
     * `path`: relative to the root, no slash at its ends. All in an ignored directory have its
     * verdict. No negation in a .sluiceignore undoes an `exclude` of the config.
     */
    verdict(path: string, kind: 'file' | 'directory'): Verdict {
      if (path === '') return not_ignored
      const here = rulesIn(parentOf(path))
      if ('ignored' in here) return here
      const ignored =
        kind === 'directory'
          ? judgeDirectory(here, path)
          : rules.judge(here, basename(path), path, kind)
      return ignored ?? not_ignored
    },
    /** Reads the rules of `directory` ('': the root) and below again, when they are needed. */
    forget(directory: string): void {
      for (const path of known.keys()) {
        if (directory === '' || path === directory || path.startsWith(`${directory}/`))
          known.delete(path)
      }
    },
  }
}

function isPassing(rules: DirectoryRules | Ignored): boolean {
  return ('ignored' in rules ? rules : rules.closed)?.passing === true
}

const not_ignored: Verdict = { ignored: false }

/**
 * Lifts a default for a user who asks for exactly that: the default must match the text of the
 * user's pattern, as for `!*.tmp` and `!node_modules/`. So the usual pair `*`, `!*.docx` (only
 * documents) does not lift lock files and hidden files with the same ending.
 */
interface Lift {
  readonly rule: DefaultIgnore
  /** `path` is relative to the root and `name` its last part; both end in `/` for a directory. */
  covers(name: string, path: string): boolean
}

/** A negation, in a .sluiceignore of `directory` or in `exclude`: its last segment decides. */
function liftsOfNegation({ body }: ParsedPattern, directory: string): Lift[] {
  const last = body.split('/').findLast((segment) => segment !== '')
  return last === undefined
    ? []
    : defaultsNamedBy(last).map((rule) => liftBy(rule, body, directory))
}

/** `include: ['.config/*.yaml']` asks for files in `.config`: each segment may lift a default. */
function liftsOfInclude({ body }: ParsedPattern): Lift[] {
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
    return {
      rule,
      covers: (name, path) => path.startsWith(below) && names.match(name) !== undefined,
    }
  }
  const paths = compilePatterns([
    { pattern: anchorPattern({ body, negative: false }, directory), meaning: true },
  ])
  return {
    rule,
    // The pattern must match the path itself: a match of its parent directory lifts nothing here.
    covers: (_name, path) =>
      paths.match(path) !== undefined && paths.match(directoryAbove(path)) === undefined,
  }
}

/** The directory of a path, with a `/` at its end. The path may end in `/`. */
function directoryAbove(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)
}
