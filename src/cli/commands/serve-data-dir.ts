import { join } from 'node:path'
import type { Argv } from 'yargs'
import { system_clock } from '../../base/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { openAdministration } from '../../service/stores.ts'
import type { GlobalOptions } from '../command.ts'

export interface DataDirOptions extends GlobalOptions {
  'data-dir': string
}

/** Where the local service keeps everything, for all commands of it. */
export function dataDirOption(yargs: Argv<GlobalOptions>): Argv<DataDirOptions> {
  return yargs.option('data-dir', {
    type: 'string',
    requiresArg: true,
    default: join(readEnvironment().state_home, 'sluice', 'service'),
    defaultDescription: '~/.local/state/sluice/service',
    describe: 'the folder in which the local service keeps everything',
  })
}

/** Works on users, projects and tokens, beside a running service too. */
export function withAdministration<Result>(
  options: DataDirOptions,
  work: (administration: ReturnType<typeof openAdministration>) => Result,
): Result {
  const administration = openAdministration(options['data-dir'], system_clock)
  try {
    return work(administration)
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
