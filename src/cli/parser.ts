import yargs, { type Argv } from 'yargs'
import type { GlobalOptions } from './command.ts'
import { examplesOf } from './examples.ts'

/** Longer help lines are hard to read, however wide the window. */
const most_help_columns = 100

/** Reads the words of a command line; `width` is that of its help. */
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
      // A file may be called 007 and must not become 7.
      'parse-positional-numbers': false,
      'parse-numbers': false,
      // `ask --folder finance "what is new?"`: the question is no second folder.
      'greedy-arrays': false,
    })
    .option('config', {
      type: 'string',
      requiresArg: true,
      describe: 'the configuration file (docs/config.md says where it is looked for without this)',
    })
    .wrap(Math.min(width, most_help_columns))
    .fail((message, error) => {
      throw error ?? new UsageFault(message)
    }) as Argv<GlobalOptions>
}

/** What yargs says of the words it was given; it throws some of it itself, and hands the rest to `fail`. */
export class UsageFault extends Error {
  override readonly name = 'YError'
}

/** The examples of a command, by its words: `prompts run`. */
export function addExamples(parser: Argv<GlobalOptions>, path: readonly string[]): void {
  for (const [line, why] of examplesOf(path)) {
    // Beside its reason a long one would be folded where no shell expects it.
    if (line.includes('\n')) parser.example(`# ${why}\n${line}`, '')
    else parser.example(line, why)
  }
}
