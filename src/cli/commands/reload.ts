import { isSluiceError, SluiceError } from '../../base/run/errors.ts'
import { examineConfig } from '../../config/resolve/usable.ts'
import { type ControlClient, connectControl } from '../../control/control-client.ts'
import { defineCommand } from '../command.ts'
import { outcomeText } from '../daemon/reloader.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor, onPaths } from '../on-paths.ts'
import { print, printNote, printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/**
 * systemd runs this for `systemctl reload` (ExecReload=). It ends when the reload is over and fails
 * if the daemon refuses.
 */
export const command = defineCommand({
  options: (yargs) => yargs,
  async run({ config: named }, terminal) {
    // The daemon itself refuses a faulty file, so that its log has the faults, too.
    const { usable } = await onPaths(terminal, (paths) => examineConfig({ file: named, paths }))
    const control = usable && (await connectControl(usable.state_dir))
    if (!control) throw nobody((await loadFor(terminal, { file: named })).config.state_dir)
    try {
      await reload(control, terminal)
    } finally {
      await control.close()
    }
    return exit_codes.ok
  },
})

async function reload(control: ControlClient, terminal: Terminal): Promise<void> {
  const { pid } = control.presence
  try {
    const outcome = await control.reload()
    print(terminal, `reloaded (process ${pid}): ${outcomeText(outcome)}`)
    for (const line of outcome.unit) printWarning(terminal, line)
  } catch (error) {
    // Without an answer, the outcome is unknown.
    const is_refusal = isSluiceError(error) && !error.code.startsWith('control.')
    if (is_refusal)
      printNote(terminal, `not reloaded (process ${pid}): the earlier configuration stays in force`)
    throw error
  }
}

function nobody(state_dir: string): SluiceError {
  return new SluiceError({
    code: 'control.nobody',
    message: `no daemon is running on ${state_dir}: there is nothing to reload`,
    hint: 'the configuration is in order; the next `sluice run` reads it',
  })
}
