import { join } from 'node:path'
import { system_clock } from '../../base/time/time.ts'
import { makeCertificates } from '../../service/tls/make-certificates.ts'
import { defineCommand, text, words } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { printNote } from '../text/print.ts'
import { dataDirOption } from './serve-verb.ts'

/** Standard output has only the path of the file for the clients. */
export const command = defineCommand({
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('hosts', {
        ...words('names and addresses under which clients reach the service'),
        demandOption: true,
      })
      .option('dir', text('the folder for the files; otherwise tls in the data folder')),
  async run(options, terminal) {
    const files = makeCertificates(options.dir ?? join(options['data-dir'], 'tls'), options.hosts, system_clock)
    terminal.err(`Start it with: sluice serve --tls-cert ${files.cert} --tls-key ${files.key} --listen ADDRESS`)
    printNote(terminal, `On every other machine, ${files.ca} is service.ca_file; ${files.ca_key} stays here.`)
    terminal.out(files.ca)
    return exit_codes.ok
  },
})
