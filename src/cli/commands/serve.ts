import { readEnvironment } from '../../config/environment.ts'
import { startService } from '../../service/service.ts'
import { defineCommand, number, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { addressGiven, serveAddress } from './serve-address.ts'
import { dataDirOption } from './serve-data-dir.ts'
import { parseFailures } from './serve-failures.ts'
import { ingestGiven, serveIngest } from './serve-ingest.ts'
import { limitsGiven, serveLimits } from './serve-limits.ts'

export const command = defineCommand({
  options: (yargs) =>
    serveAddress(serveLimits(serveIngest(dataDirOption(yargs))))
      .option('port', { ...number('port of the API; 0: a free one'), default: 0 })
      .option('blob-port', { ...number('port of the blob store; 0: a free one'), default: 0 })
      .option('profile', {
        choices: ['default', 'hosted'] as const,
        default: 'default' as const,
        describe: 'keep to the specification, or do what the hosted service does against it',
      })
      .option('answer-delay', { ...number('milliseconds that an answer takes, at least'), default: 0 })
      .option(
        'assistant-config',
        text('a file of JSON: who answers, and how (docs/service.md); otherwise passages are quoted'),
      )
      .option('latency', { ...number('milliseconds that every request waits first'), default: 0 })
      .option('fail', {
        ...text('PLACE=STATUS|drop[:every=N][:times=N][:retry=SECONDS], several with commas (docs/service.md)'),
        default: '',
      }),

  async run(options, terminal) {
    const service = await startService({
      data_dir: options['data-dir'],
      ...addressGiven(options),
      port: options.port,
      blob_port: options['blob-port'],
      profile: options.profile,
      ingest: ingestGiven(options),
      answer_delay_ms: options['answer-delay'],
      assistant_config: options['assistant-config'],
      proxy: readEnvironment().proxy,
      ...limitsGiven(options),
      injected_faults: { latency_ms: options.latency, failures: parseFailures(options.fail) },
      // Nobody reads it here.
      max_logged_requests: 0,
      log: (line) => terminal.err(line),
    })
    // Listening for the signal first: whoever reads the line may send it at once.
    const stopped = signalled()
    terminal.out(JSON.stringify({ api: service.api, blob: service.blob }))
    await stopped
    await service.close()
    return exit_codes.ok
  },
})

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process at once, as it does without us. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    function stop(): void {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
