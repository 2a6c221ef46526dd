import { join } from 'node:path'
import type { Argv } from 'yargs'
import { system_clock } from '../../base/time/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { openAdministration } from '../../service/store/stores.ts'
import { argument, type Command, flag, type GlobalOptions, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type Cell, type Column, printTable } from '../text/table.ts'
import type { Terminal } from '../text/terminal.ts'

export interface DataDirOptions extends GlobalOptions {
  'data-dir': string
}

/** The data folder, for all commands of the local service. */
export function dataDirOption(yargs: Argv<GlobalOptions>): Argv<DataDirOptions> {
  return yargs.option('data-dir', {
    ...text('the folder with all data of the local service'),
    default: join(readEnvironment().state_home, 'sluice', 'service'),
    defaultDescription: '~/.local/state/sluice/service',
  })
}

type Administration = ReturnType<typeof openAdministration>

/**
 * The help text of an option that takes a text. `needed`: the option is required. `flag`: it takes
 * nothing.
 */
type Described = string | { needed: string; choices?: readonly string[] } | { flag: string }

type Words<Argument extends string, Options extends Record<string, Described>> = Record<
  Argument,
  string
> & {
  [Name in keyof Options]: Options[Name] extends string
    ? string | undefined
    : Options[Name] extends { flag: string }
      ? boolean
      : string
}

/**
 * A command about users, projects, tokens and so on. It also works while the service is running.
 */
export function serveVerb<
  Argument extends string,
  Options extends Record<string, Described>,
>(verb: {
  /** The name of the argument and its help text. */
  argument: readonly [name: Argument, describe: string]
  options?: Options
  /** True: the command may make the data folder. */
  may_begin?: boolean
  run(administration: Administration, words: Words<Argument, Options>, terminal: Terminal): void
}): Command<DataDirOptions & Words<Argument, Options>> {
  const [name, describe] = verb.argument
  return {
    options: (yargs) => {
      const parser = withOptions(yargs, verb.options).positional(name, argument(describe))
      return parser as unknown as ReturnType<
        Command<DataDirOptions & Words<Argument, Options>>['options']
      >
    },
    run: (options, terminal) =>
      administer(
        options,
        (administration) => verb.run(administration, options, terminal),
        verb.may_begin,
      ),
  }
}

function withOptions(
  yargs: Argv<GlobalOptions>,
  options: Record<string, Described> = {},
): Argv<DataDirOptions> {
  const described = Object.entries(options).map(([name, about]) => {
    if (typeof about === 'string') return [name, text(about)]
    if ('flag' in about) return [name, flag(about.flag)]
    return [name, { ...text(about.needed), demandOption: true, choices: about.choices }]
  })
  return dataDirOption(yargs).options(Object.fromEntries(described)) as Argv<DataDirOptions>
}

/** A command that prints a table of what the local service keeps. */
export function serveList<Options extends Record<string, string>>(
  columns: readonly (string | Column)[],
  rowsOf: (
    administration: Administration,
    words: { [Name in keyof Options]?: string },
  ) => readonly (readonly Cell[])[],
  described?: Options,
): Command<DataDirOptions> {
  return {
    options: (yargs) => withOptions(yargs, described),
    run: (options, terminal) =>
      administer(options, (administration) =>
        printTable(terminal, columns, rowsOf(administration, options)),
      ),
  }
}

async function administer(
  options: DataDirOptions,
  work: (administration: Administration) => void,
  may_begin = false,
) {
  const administration = openAdministration(options['data-dir'], system_clock, may_begin)
  try {
    work(administration)
    return exit_codes.ok
  } finally {
    administration.close()
  }
}

/** The words of an option that takes several with commas between; absent: none. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** The same, where an option that is absent changes nothing. */
export function wordsIfGiven(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : wordsOf(text)
}
