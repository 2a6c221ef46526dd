import { userInfo } from 'node:os'
import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration, formatSpan } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import { durationText } from '../../config/schema/units.ts'
import { max_pause_ms } from '../../control/control-verbs.ts'
import { readPause } from '../../status/daemon-status.ts'
import { flagValue, spanFlag } from '../ask/ask-flags.ts'
import { defineCommand, text } from '../command.ts'
import { passToDaemon } from '../daemon/beside-or-alone.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { printFitted, printNote } from '../text/print.ts'

/** Maximum characters of --why, which is shown on one line. */
const longest_why = 200

export const pause = defineCommand({
  options: (yargs) =>
    yargs
      .option('for', text('the duration, such as 30m, 2h or 1d'))
      .option('why', text('the reason, shown by status')),
  async run({ config: named, for: duration, why: reason }, terminal) {
    const why = reason?.trim() === '' ? undefined : reason
    const { config } = await loadFor(terminal, { file: named })
    const for_ms = duration === undefined ? undefined : flagValue('for', for_field, duration)
    if (why !== undefined && why.length > longest_why)
      throw new SluiceError({
        code: 'usage.invalid',
        message: `--why must have at most ${longest_why} characters`,
      })
    const by = userInfo().username
    const until_ms = for_ms === undefined ? undefined : system_clock.now_ms() + for_ms
    await passToDaemon(config, {
      to_daemon: (control) => control.pause({ by, why, for_ms }),
      to_ledger: () => [{ type: 'paused', by, why, until_ms }],
    })
    const how_long = for_ms === undefined ? '' : ` for ${formatDuration(for_ms)}`
    printFitted(
      terminal,
      `paused${how_long}: nothing new is uploaded, asked or delivered; work in progress ends normally`,
    )
    terminal.out('`sluice resume` ends it')
    return exit_codes.ok
  },
})

const such_as = '30m, 2h or 1d; without it the pause lasts until `sluice resume`'
const for_field = spanFlag('1s', durationText(max_pause_ms), such_as)

export const resume = defineCommand({
  options: (yargs) => yargs,
  async run({ config: named }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const pause = await readPause(config.state_dir)
    if (!pause) {
      terminal.out('Sluice was not paused.')
      return exit_codes.ok
    }
    const is_running = await passToDaemon(config, {
      to_daemon: (control) => control.resume(),
      to_ledger: () => [{ type: 'resumed' }],
    })
    const duration = formatSpan(pause.since_ms, system_clock.now_ms())
    const why = pause.why === undefined ? '' : ` (${pause.why})`
    printFitted(terminal, `The pause has ended. It lasted ${duration}, set by ${pause.by}${why}.`)
    if (!is_running) {
      printNote(
        terminal,
        'no daemon is running: `sluice run` or `sluice sync` goes on with the work',
      )
    }
    return exit_codes.ok
  },
})
