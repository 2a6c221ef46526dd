import { configAsYaml, maskedConfig } from '../../config/resolve/effective.ts'
import { withoutConstants } from '../../config/schema/constants.ts'
import { LineWriter } from '../../status/text/lines.ts'
import { defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { describeToken, loadFor } from '../on-paths.ts'
import { printJson, printWarning } from '../text/print.ts'

export const command = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: named, json }, terminal) {
    const { config, written, file, passed_over, variables, warnings } = await loadFor(terminal, {
      file: named,
    })
    const { source, fault, warnings: about_token } = await describeToken(config, terminal)
    const token = { source, fault }
    warnings.push(...about_token)
    if (json) {
      const masked = withoutConstants(maskedConfig(config))
      printJson(terminal, { file, passed_over, variables, token, warnings, config: masked })
      return exit_codes.ok
    }
    const { dim } = terminal.styles
    // The output is a valid file, so this is a comment in it. The file itself is never wrapped.
    for (const text of [
      `in force, from ${[...variables, file].join(', ')} and the defaults`,
      ...passed_over.map((place) => `passed over, it cannot be read: ${place.file} (${place.why})`),
      `token: ${token.source === null ? `none (${token.fault})` : `*** from ${token.source}`}`,
    ]) {
      const writer = new LineWriter(terminal.width - 2)
      writer.say(text)
      for (const line of writer.lines) terminal.out(dim(`# ${line.text}`))
    }
    terminal.out(configAsYaml(config, written).trimEnd())
    for (const warning of warnings) printWarning(terminal, warning)
    return exit_codes.ok
  },
})
