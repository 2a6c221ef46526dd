import type { Argv } from 'yargs'
import { SluiceError } from '../base/run/errors.ts'
import { min_open_files, refuseFewOpenFiles } from '../base/run/open-files.ts'
import { didYouMean, didYouMeanText } from '../base/text/did-you-mean.ts'
import { shellWord } from '../base/text/format.ts'
import { durationText, parseDuration_ms } from '../config/schema/units.ts'
import {
  addExamples,
  createParser,
  type GlobalOptions,
  type ListedCommand,
  nameOf,
  optionsOf,
  UsageFault,
} from './command.ts'
import { type ExitCode, exit_codes, exitCodeOf } from './exit-codes.ts'
import { printError } from './text/print.ts'
import type { Terminal } from './text/terminal.ts'

/** Runs a command line elsewhere, and returns its exit code. */
type RunElsewhere = (words: readonly string[], terminal: Terminal) => Promise<ExitCode>

/**
 * Runs one command line (without `node` and the program's name) and returns its exit code. It
 * prints errors and never throws or ends the process. `elsewhere`: for commands that read the
 * folders; absent: they run here.
 */
export async function runCli(
  words: readonly string[],
  terminal: Terminal,
  commands: readonly ListedCommand[],
  elsewhere?: RunElsewhere,
): Promise<ExitCode> {
  try {
    refuseFewOpenFiles('sluice', min_open_files)
    return await parseAndRun(words, terminal, commands, elsewhere)
  } catch (thrown) {
    const error = isLostDirectory(thrown) ? lostDirectory(thrown) : thrown
    printError(error, terminal)
    return exitCodeOf(error)
  }
}

/** Node's error where a path is relative to a current directory that was deleted. */
function isLostDirectory(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
}

function lostDirectory(cause: NodeJS.ErrnoException): SluiceError {
  return new SluiceError({
    code: 'usage.directory',
    message: 'the current directory cannot be found: it was probably deleted',
    hint: 'change to another directory (cd ~), or give whole paths',
    cause,
  })
}

async function parseAndRun(
  words: readonly string[],
  terminal: Terminal,
  commands: readonly ListedCommand[],
  elsewhere: RunElsewhere | undefined,
) {
  let answer: ExitCode | undefined
  let help = ''
  let repeatable: readonly string[] = []
  const register = (
    parser: Argv<GlobalOptions>,
    listed: readonly ListedCommand[],
    above: readonly string[] = [],
  ): Argv<GlobalOptions> => {
    for (const { usage, describe, load, subcommands = [], reads_folders } of listed) {
      const path = [...above, nameOf(usage)]
      parser.command(
        usage,
        describe,
        async (inner) => {
          register(inner as Argv<GlobalOptions>, subcommands, path)
          addExamples(inner as Argv<GlobalOptions>, path)
          if (!load) return inner.demandCommand(1, needsCommand(path, subcommands))
          const described = (await load()).options(inner as Argv<GlobalOptions>)
          repeatable = optionsOf(inner as Argv<GlobalOptions>).array
          return described
        },
        async (options) => {
          if (!load) return
          refuseOddValues(options, words, repeatable)
          if (reads_folders && elsewhere) answer = await elsewhere(words, terminal)
          else answer = await (await load()).run(options as never, terminal, commands)
        },
      )
    }
    return parser
  }
  const parser = register(createParser(terminal), commands)
  try {
    await parser.parseAsync(plainWords(words, commands), {}, (_error, _options, output) => {
      help = output
    })
  } catch (error) {
    const is_usage = error instanceof Error && error.name === 'YError'
    throw is_usage ? await usageError(error.message, words, parser, commands) : error
  }
  if (answer !== undefined) return answer
  if (help !== '') {
    terminal.out(inGroups(help))
    return exit_codes.ok
  }
  terminal.err(inGroups(await parser.getHelp()))
  return exit_codes.usage
}

/** The groups of the help, by the first command of each. */
const headings: Readonly<Record<string, string>> = {
  init: 'Set up',
  plan: 'Upload',
  status: 'See the state',
  pause: 'Steer a running daemon',
  ask: 'Ask',
  backup: 'Keep the ledger safe',
  page: 'Page and agents',
  serve: 'Local service',
}

/** Puts the headings into the list of all commands, which yargs prints without. */
function inGroups(help: string): string {
  if (!help.startsWith('sluice <command>')) return help
  return help
    .replace('Commands:\n', '')
    .replaceAll(/^ {2}sluice (\S+)/gm, (line, name: string) => {
      const heading = headings[name]
      return heading === undefined ? line : `\n${heading}\n${line}`
    })
    .replace('\n\n\n', '\n\n')
}

/**
 * Makes `--version` a command, `help plan` `plan --help`, and words after `--` paths, even with a
 * dash at the beginning. yargs does not count those as positional arguments, but `./-x` is the same
 * file as `-x`.
 */
function plainWords(words: readonly string[], commands: readonly ListedCommand[]): string[] {
  if (words[0] === 'help') {
    const about = words.slice(1)
    for (const word of about) {
      const group = groupBefore(word, about, commands)
      if (group) throw unknownCommand(word, group)
    }
    return [...about, '--help']
  }
  if (words[0] === '--version' || words[0] === '-V') return ['version', ...words.slice(1)]
  const at = words.indexOf('--')
  if (at < 0) return [...words]
  const paths = words.slice(at + 1).map((word) => (word.startsWith('-') ? `./${word}` : word))
  return [...words.slice(0, at), ...paths]
}

/** yargs makes a list of a repeated option. */
function refuseOddValues(
  options: object,
  words: readonly string[],
  repeatable: readonly string[],
): void {
  for (const [name, value] of Object.entries(options)) {
    const is_option = words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
    if (is_option && Array.isArray(value) && !repeatable.includes(name))
      throw new UsageFault(`--${name} is given more than once`)
  }
}

/** The message for `sluice prompts` alone. */
function needsCommand(path: readonly string[], subcommands: readonly ListedCommand[]): string {
  const names = subcommands.map(({ usage }) => nameOf(usage))
  return `sluice ${path.join(' ')} needs a command: ${names.join(', ')}`
}

/** yargs' words, in one line, with what was probably meant. */
async function usageError(
  message: string,
  words: readonly string[],
  parser: Argv<GlobalOptions>,
  commands: readonly ListedCommand[],
) {
  const all_unknown = /^Unknown (?:argument|command)s?: (.*)$/.exec(message)?.[1]?.split(', ') ?? []
  for (const word of all_unknown) {
    const group = groupBefore(word, words, commands)
    if (group) return unknownCommand(word, group)
  }
  const unknown = all_unknown[0]
  const options = [...(await parser.getHelp()).matchAll(/--([a-z][a-z-]*)/g)].map(
    ([, name]) => name!,
  )
  const names = commands.map(({ usage }) => nameOf(usage))
  const { name, usage } = calledBy(words, commands)
  const is_trial = unknown === 'dry-run' && (name === 'sluice sync' || name === 'sluice run')
  if (is_trial)
    return usageFault(`${name} has no --dry-run`, '`sluice plan` shows what would be uploaded')
  const how = `${name} --help shows its options`
  if (message.startsWith('Not enough non-option'))
    return usageFault(`${name} needs more arguments`, `write ${usage}; ${how}`)
  const valueless = /^Not enough arguments following: (.*)$/.exec(message)?.[1]
  if (valueless !== undefined) return usageFault(`--${valueless} needs a value`, how)
  const [, of, given = '', known = ''] =
    /^Invalid values:\s+Argument: (.*), Given: "(.*)", Choices: (.*)$/.exec(message) ?? []
  if (of !== undefined) {
    const written = words.some((word) => word.startsWith(`--${of}`)) ? `--${of}` : of
    return usageFault(
      `${written} cannot be ${shellWord(given)}`,
      didYouMeanText(given, known.match(/[^", ]+/g)!, 'the values are'),
    )
  }
  const is_option = words.includes(`--${unknown}`)
  const for_ms = name === 'sluice pause' ? parseDuration_ms(all_unknown.join('')) : Number.NaN
  if (for_ms > 0)
    return usageFault(
      `${name} takes its time as an option`,
      `write ${name} --for ${durationText(for_ms)}`,
    )
  if (unknown !== undefined && !is_option && / [<[]path[\]>]$/.test(usage))
    return usageFault(
      `${name} takes one path`,
      "put a pattern in quotes, such as '*.gz': the shell replaces it otherwise",
    )
  const missing = /^Missing required arguments?: (.*)$/.exec(message)?.[1]?.split(', ')
  const help = missing
    ? `add ${missing.map((option) => `--${option} ${option.toUpperCase()}`).join(' ')}; ${how}`
    : name === 'sluice'
      ? 'sluice --help shows the commands, sluice COMMAND --help its options'
      : how
  const meant =
    unknown === undefined
      ? undefined
      : didYouMean(unknown, is_option ? options : [...names, ...options])
  const shown = meant === undefined || names.includes(meant) ? meant : `--${meant}`
  return usageFault(
    message.replaceAll(/\s*\n\s*/g, ' '),
    shown === undefined ? help : `did you mean ${shown}?`,
  )
}

function usageFault(message: string, hint: string): SluiceError {
  return new SluiceError({ code: 'usage.invalid', message, hint })
}

interface Called {
  /** `sluice`, or `sluice prompts` */
  name: string
  /** The same with its arguments. */
  usage: string
  /** The command's subcommands. */
  listed: readonly ListedCommand[]
}

/** The commands that could stand where this word stands; undefined if none can. */
function groupBefore(
  word: string,
  words: readonly string[],
  commands: readonly ListedCommand[],
): Called | undefined {
  const at = words.lastIndexOf(word)
  if (word === '' || at < 0) return undefined
  const group = calledBy(words.slice(0, at), commands)
  const names = group.listed.map(({ usage }) => nameOf(usage))
  return names.length === 0 || names.includes(word) ? undefined : group
}

/** The command that these words call, such as `sluice prompts run`. */
function calledBy(words: readonly string[], commands: readonly ListedCommand[]): Called {
  let called: Called = { name: 'sluice', usage: 'sluice COMMAND', listed: commands }
  for (const word of words) {
    const found = called.listed.find(({ usage }) => nameOf(usage) === word)
    const above = called.name
    const listed = found?.subcommands ?? []
    if (found) called = { name: `${above} ${word}`, usage: `${above} ${found.usage}`, listed }
  }
  return called
}

function unknownCommand(word: string, { name, listed }: Called): SluiceError {
  const names = listed.map(({ usage }) => nameOf(usage))
  const meant = didYouMean(word, names)
  return usageFault(
    `${word} is no command of ${name}`,
    meant === undefined ? `${name} --help shows the commands` : `did you mean ${meant}?`,
  )
}
