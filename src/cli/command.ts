import yargs, { type Argv } from 'yargs'
import { examplesOf } from './ask/examples.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './text/terminal.ts'

/** Options that every command has. */
export interface GlobalOptions {
  config: string | undefined
}

/** The command that a file in commands/ exports. */
export interface Command<Options extends GlobalOptions = GlobalOptions> {
  /** Adds the command's own options and describes the positional arguments named in its usage. */
  options(yargs: Argv<GlobalOptions>): Argv<Options>
  /**
   * Runs the command and returns the exit code. A thrown error is printed and gives its own code
   * (exit-codes.ts). `all` is the table of commands, for commands about commands.
   */
  run(options: Options, terminal: Terminal, all: readonly ListedCommand[]): Promise<ExitCode>
}

/** Defines a command; yargs infers the types of its options. */
export function defineCommand<Options extends GlobalOptions>(
  command: Command<Options>,
): Command<Options> {
  return command
}

/** Descriptions of options and arguments, as yargs takes them. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const
export const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const
export const texts = (describe: string) => ({ ...text(describe), array: true }) as const
export const number = (describe: string) =>
  ({ type: 'number', requiresArg: true, describe }) as const
export const argument = (describe: string) =>
  ({ type: 'string', demandOption: true, describe }) as const
export const optional = (describe: string) => ({ type: 'string', describe }) as const
/** An argument of several words, or of none. */
export const words = (describe: string) => ({ type: 'string', array: true, describe }) as const

/**
 * A command with options of any type. `run` gets the options that `options` of the same object has
 * described.
 */
export interface AnyCommand {
  options(yargs: Argv<GlobalOptions>): unknown
  run(options: never, terminal: Terminal, all: readonly ListedCommand[]): Promise<ExitCode>
}

/** A line of the table: enough for the help, without loading the command and all that it needs. */
export interface ListedCommand {
  /** As yargs reads it: `explain <path>`, `retry [paths..]`. */
  usage: string
  describe: string
  /** Absent where only the subcommands do something. */
  load?: () => Promise<AnyCommand>
  subcommands?: readonly ListedCommand[]
  /** It reads files of the user, whose disk may stop answering at any time. */
  reads_folders?: boolean
}

/** `explain <path>` -> `explain` */
export function nameOf(usage: string): string {
  return usage.split(' ')[0]!
}

/** Longer help lines are hard to read, however wide the window. */
const max_help_columns = 100

/** Makes the parser of command lines. `width`: columns of its help. */
export function createParser({ width }: { width: number }): Argv<GlobalOptions> {
  // The directory is given, so that yargs does not ask for the current one, which may be deleted.
  return yargs([], '/')
    .scriptName('sluice')
    .usage(
      '$0 <command> [options]\n\nGets the files of watched folders into an assistant’s project, ready to be asked about.',
    )
    .locale('en')
    .exitProcess(false)
    .strict()
    .version(false)
    .help()
    .alias('help', 'h')
    .parserConfiguration({
      'camel-case-expansion': false,
      // `--no-public-data` is an option of its own.
      'boolean-negation': false,
      // A file may be called 007 and must not become 7.
      'parse-positional-numbers': false,
      'parse-numbers': false,
      // `ask --folder finance "what is new?"`: the question is no second folder.
      'greedy-arrays': false,
    })
    .option('config', {
      type: 'string',
      requiresArg: true,
      describe:
        'the configuration file; default: the first of $SLUICE_CONFIG, ./sluice.yaml, ~/.config/sluice/sluice.yaml and /etc/sluice/sluice.yaml',
    })
    .wrap(Math.min(width, max_help_columns))
    .fail((message, error) => {
      throw error ?? new UsageFault(message)
    }) as Argv<GlobalOptions>
}

interface ParserOptions {
  boolean: string[]
  array: string[]
  key: Record<string, unknown>
  choices: Record<string, string[]>
}

/** yargs' own table of the options, which its types leave out. */
export function optionsOf(parser: Argv<GlobalOptions>): ParserOptions {
  return (parser as unknown as { getOptions(): ParserOptions }).getOptions()
}

/**
 * A fault in the words of the command line. yargs throws some of them and passes the others to
 * `fail`.
 */
export class UsageFault extends Error {
  override readonly name = 'YError'
}

/** The examples of a command, by its words: `prompts run`. */
export function addExamples(parser: Argv<GlobalOptions>, path: readonly string[]): void {
  for (const [line, why] of examplesOf(path)) {
    // Beside its reason, a long line would be folded where no shell expects it.
    if (line.includes('\n')) parser.example(`# ${why}\n${line}`, '')
    else parser.example(line, why)
  }
}
