import { join, resolve } from 'node:path'
import { isSluiceError } from '../../base/run/errors.ts'
import { counted, formatCount } from '../../base/text/format.ts'
import { aborted, system_clock } from '../../base/time/time.ts'
import { startService } from '../../service/service.ts'
import { backUpService } from '../../service/store/backup.ts'
import { readIndexProgress } from '../../service/store/passages/passage-index.ts'
import { makeCertificates } from '../../service/tls/make-certificates.ts'
import { argument, defineCommand, text, words } from '../command.ts'
import { withStopSignals } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { printNote } from '../text/print.ts'
import { sayServing } from '../text/serving.ts'
import { serveOptions, serviceOptions } from './serve-options.ts'
import { dataDirOption } from './serve-verb.ts'

export const command = defineCommand({
  options: (yargs) => serveOptions(dataDirOption(yargs)),
  async run(options, terminal) {
    // No one reads the log of requests here.
    const log = { max_logged_requests: 0, log: (line: string) => terminal.err(line) }
    const service = await withStopSignals(
      async ({ first }) => {
        const started = await startService({ ...serviceOptions(options), ...log })
        if (terminal.is_interactive) sayServing(started, options, terminal)
        else terminal.out(JSON.stringify({ api: started.api, blob: started.blob }))
        terminal.err(`The local service ${await started.describePrograms()}.`)
        await aborted(first)
        return started
      },
      { is_endless: true },
    )
    // A second signal ends the process at once.
    await service.close()
    return exit_codes.ok
  },
})

export const backup = defineCommand({
  options: (yargs) =>
    dataDirOption(yargs).positional('folder', argument('a folder that does not exist yet')),
  async run(options, terminal) {
    const folder = resolve(options.folder)
    const { assets, objects, removed } = backUpService(options['data-dir'], folder)
    const gone =
      removed === 0 ? '' : `; ${counted(removed, 'asset was', 'assets were')} removed meanwhile`
    terminal.out(
      `${folder}: ${counted(assets, 'asset')}, ${objects} of them in files of their own${gone}`,
    )
    return exit_codes.ok
  },
})

export const status = defineCommand({
  options: dataDirOption,
  async run({ 'data-dir': data_dir }, terminal) {
    terminal.out(indexText(data_dir))
    return exit_codes.ok
  },
})

function indexText(data_dir: string): string {
  try {
    const { done, of } = readIndexProgress(data_dir)
    if (done === of) return `the index is complete: ${counted(of, 'file')}`
    return `the index is being made anew: ${formatCount(done)} of ${counted(of, 'file')}`
  } catch (error) {
    if (!isSluiceError(error, 'database.missing')) throw error
    return `the index in ${resolve(data_dir)} has no file yet; is --data-dir the folder of the service?`
  }
}

/** Standard output has only the path of the file for the clients. */
export const cert = defineCommand({
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('hosts', {
        ...words('names and addresses under which clients reach the service'),
        demandOption: true,
      })
      .option('dir', text('the folder for the files; default: tls in the data folder')),
  async run(options, terminal) {
    const files = makeCertificates(
      options.dir ?? join(options['data-dir'], 'tls'),
      options.hosts,
      system_clock,
    )
    terminal.err(
      `Start it with: sluice serve --tls-cert ${files.cert} --tls-key ${files.key} --listen ADDRESS`,
    )
    printNote(
      terminal,
      `On every other machine, set service.ca_file to a copy of ${files.ca}; keep ${files.ca_key} here.`,
    )
    terminal.out(files.ca)
    return exit_codes.ok
  },
})
