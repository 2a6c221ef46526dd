import { join } from 'node:path'
import type { Argv } from 'yargs'
import { readEnvironment } from '../../config/environment.ts'
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
