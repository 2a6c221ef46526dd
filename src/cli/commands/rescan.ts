import { connectControl } from '../../control/control-client.ts'
import { defineCommand } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { foldersArgument, foldersNamed } from '../place.ts'
import { print, printNote } from '../text/print.ts'

export const command = defineCommand({
  options: foldersArgument,
  async run({ config: named, folders }, terminal) {
    const { config, names } = await loadFor(terminal, { file: named }, ({ config }, paths) => ({
      names: foldersNamed(folders ?? [], config.folders, paths),
    }))
    const control = await connectControl(config.state_dir)
    if (!control) {
      const text =
        'no daemon is running: `sluice run` and `sluice sync` scan every folder when they start'
      printNote(terminal, text)
      return exit_codes.ok
    }
    try {
      for (const folder of names) await control.rescan({ folder })
      print(
        terminal,
        `the scan begins: ${names.join(', ')}; \`sluice status\` shows when it has ended`,
      )
    } finally {
      await control.close()
    }
    return exit_codes.ok
  },
})
