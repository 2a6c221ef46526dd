import { resolve } from 'node:path'
import { counted } from '../../base/text/format.ts'
import { backUpService } from '../../service/store/backup.ts'
import { argument, defineCommand } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { dataDirOption } from './serve-verb.ts'

export const command = defineCommand({
  options: (yargs) => dataDirOption(yargs).positional('folder', argument('a folder that does not exist yet')),
  async run(options, terminal) {
    const folder = resolve(options.folder)
    const { assets, objects, removed } = backUpService(options['data-dir'], folder)
    const gone = removed === 0 ? '' : `; ${counted(removed, 'asset was', 'assets were')} removed meanwhile`
    terminal.out(`${folder}: ${counted(assets, 'asset')}, ${objects} of them in files of their own${gone}`)
    return exit_codes.ok
  },
})
