import { resolve } from 'node:path'
import { backUpService } from '../../service/backup.ts'
import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  folder: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs).positional('folder', {
      type: 'string',
      demandOption: true,
      describe: 'a folder that does not exist yet',
    }),
  async run(options, terminal) {
    const folder = resolve(options.folder)
    const { assets, objects, removed } = backUpService(options['data-dir'], folder)
    const gone = removed === 0 ? '' : `; ${removed} were removed meanwhile`
    terminal.out(`${folder}: ${assets} assets, ${objects} of them in files of their own${gone}`)
    return exit_codes.ok
  },
}
