import type { Argv } from 'yargs'
import {
  createParser,
  type GlobalOptions,
  type ListedCommand,
  nameOf,
  optionsOf,
} from '../command.ts'

/** Asks the shell to complete files itself. No other candidate begins with a colon. */
export const shell_files = ':files'
export const shell_directories = ':directories'

/** The kind of value that an argument or option takes. */
type Kind = 'place' | 'folder' | 'prompt' | 'file' | 'directory'

/** Kinds by command, then by the name of the argument or option; `*`: every command. */
const kinds: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  '*': {
    path: 'place',
    paths: 'place',
    folder: 'folder',
    folders: 'folder',
    file: 'file',
    config: 'file',
    'token-file': 'file',
    'data-dir': 'directory',
  },
  init: { folder: 'directory' },
  demo: { folder: 'directory' },
  'prompts run': { name: 'prompt' },
  'prompts history': { name: 'prompt' },
  'prompts show': { run: 'prompt' },
}

/** The position of the cursor in a command line. */
interface Cursor {
  /** The typed part of the word at the cursor. */
  current: string
  /** The words of the command, such as `prompts run`. */
  path: string[]
  node: ListedCommand | undefined
  /** The commands that may follow. */
  below: readonly ListedCommand[]
  /** Words after the command, without the one at the cursor. */
  rest: string[]
}

/**
 * Returns what may end a command line: commands, options, choices, names of folders and prompts.
 * `words` leaves out the program; its last word is as far as it is typed, '' for a new word. Never
 * throws.
 */
export async function complete(
  words: readonly string[],
  commands: readonly ListedCommand[],
  env?: NodeJS.ProcessEnv,
): Promise<string[]> {
  const cursor = cursorOf(joined(words), commands)
  const { current, path, node, below, rest } = cursor
  const parser = await parserOf(node)
  const named = optionValue(cursor, parser)
  if (named !== undefined) {
    const choices = choicesOf(parser, named.option)
    const found =
      choices.length > 0 ? choices : await namesOf(kindOf(path, named.option), words, env)
    return beginningWith(named.begun, found)
  }
  if (current.startsWith('-'))
    return beginningWith(current, await yargsAnswers(parser, [...rest, current]))
  const given = positionals(rest, parser).length
  // No argument yet: another word may still make it another command.
  const next = given === 0 ? below.map(({ usage }) => nameOf(usage)) : []
  const names = await namesOf(kindOf(path, argumentAt(node, given)), words, env)
  const choices = node ? choicesOf(parser, argumentAt(node, given)) : []
  return beginningWith(current, [...next, ...names, ...choices])
}

/** Some shells hand on `--state=re` as three words. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = []
  for (const [at, word] of words.entries()) {
    const after_equals = words[at - 1] === '=' && whole.at(-1)?.endsWith('=')
    if ((word === '=' && whole.at(-1)?.startsWith('--')) || after_equals)
      whole.push(whole.pop() + word)
    else whole.push(word)
  }
  return whole
}

function cursorOf(words: readonly string[], commands: readonly ListedCommand[]): Cursor {
  const cursor: Cursor = {
    current: words.at(-1) ?? '',
    path: [],
    node: undefined,
    below: commands,
    rest: [],
  }
  for (const word of words.slice(0, -1)) {
    const has_arguments = cursor.rest.some(
      (passed, at) => !passed.startsWith('-') && cursor.rest[at - 1] !== '--config',
    )
    const next = has_arguments
      ? undefined
      : cursor.below.find(({ usage }) => nameOf(usage) === word)
    if (next === undefined) cursor.rest.push(word)
    else
      Object.assign(cursor, {
        node: next,
        path: [...cursor.path, word],
        below: next.subcommands ?? [],
        rest: [],
      })
  }
  return cursor
}

/** A parser that knows one command's options, and no commands. */
async function parserOf(node: ListedCommand | undefined): Promise<Argv<GlobalOptions>> {
  const parser = createParser({ width: Number.POSITIVE_INFINITY }).strict(false)
  const command = await node?.load?.()
  command?.options(parser)
  return parser
}

/** The option whose value is being typed, and the typed part; undefined if it is no value. */
function optionValue({ current, rest }: Cursor, parser: Argv<GlobalOptions>) {
  const [, attached, begun] = /^--([a-z-]+)=(.*)$/s.exec(current) ?? []
  if (attached !== undefined) return { option: attached, begun: begun! }
  const before = /^--([a-z-]+)$/.exec(rest.at(-1) ?? '')?.[1]
  if (before === undefined || !takesValue(parser, before)) return undefined
  return { option: before, begun: current }
}

function takesValue(parser: Argv<GlobalOptions>, option: string): boolean {
  const { boolean, key } = optionsOf(parser)
  return option in key && !boolean.includes(option)
}

function choicesOf(parser: Argv<GlobalOptions>, argument: string | undefined): string[] {
  return argument === undefined ? [] : (optionsOf(parser).choices[argument] ?? [])
}

/** The options that yargs proposes. For zsh it adds a description behind a colon; it is removed. */
async function yargsAnswers(
  parser: Argv<GlobalOptions>,
  words: readonly string[],
): Promise<string[]> {
  const found = await new Promise<readonly string[]>((resolve, reject) => {
    parser.getCompletion([...words], (error, completions) =>
      error ? reject(error) : resolve(completions),
    )
  })
  return found.map((each) => each.replace(/^(--?[a-z-]+)[:\t].*$/s, '$1'))
}

function positionals(rest: readonly string[], parser: Argv<GlobalOptions>): string[] {
  return rest.filter((word, at) => {
    if (word.startsWith('-')) return false
    const before = /^--([a-z-]+)$/.exec(rest[at - 1] ?? '')?.[1]
    return before === undefined || !takesValue(parser, before)
  })
}

/** The argument's name at a place of `diff <before> <after>`; one with dots takes the rest. */
function argumentAt(node: ListedCommand | undefined, place: number): string | undefined {
  const all = node?.usage.split(' ').slice(1) ?? []
  const usage = all[place] ?? (all.at(-1)?.includes('..') ? all.at(-1) : undefined)
  return usage?.replaceAll(/[<>[\].]/g, '')
}

function kindOf(path: readonly string[], name: string | undefined): Kind | undefined {
  return name === undefined ? undefined : (kinds[path.join(' ')]?.[name] ?? kinds['*']![name])
}

async function namesOf(
  kind: Kind | undefined,
  words: readonly string[],
  env: NodeJS.ProcessEnv | undefined,
): Promise<string[]> {
  if (kind === undefined) return []
  if (kind === 'file') return [shell_files]
  if (kind === 'directory') return [shell_directories]
  const { folders, prompts } = await configNames(words, env)
  if (kind === 'prompt') return prompts
  return kind === 'folder' ? folders : [...folders, shell_files]
}

/**
 * Empty without a valid configuration: Tab must not print errors. The import comes late because it
 * takes longer than all the rest, and most completions do not need it.
 */
async function configNames(words: readonly string[], env: NodeJS.ProcessEnv | undefined) {
  const at = words.lastIndexOf('--config')
  const attached = words.find((word) => word.startsWith('--config='))?.slice('--config='.length)
  const file = attached ?? (at >= 0 && at < words.length - 2 ? words[at + 1] : undefined)
  try {
    const { loadConfig } = await import('../../config/load.ts')
    const { askingPaths } = await import('../../base/files/ask-paths.ts')
    const { config } = await askingPaths((paths) =>
      loadConfig({ file, paths, ...(env ? { env } : {}) }),
    )
    return {
      folders: config.folders.map(({ name }) => name),
      prompts: config.prompts.map(({ name }) => name),
    }
  } catch {
    return { folders: [], prompts: [] }
  }
}

function beginningWith(begun: string, candidates: readonly string[]): string[] {
  return [...new Set(candidates)].filter((each) => each.startsWith(begun) || each.startsWith(':'))
}
