import { system_clock } from '../../base/time.ts'
import { type DoctorAnswer, runDoctor } from '../../inspect/doctor/run-doctor.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { doctorLines } from '../doctor-text.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { toned } from '../tones.ts'

interface Options extends GlobalOptions {
  json: boolean
}

export const command: Command<Options> = {
  options: (yargs) => yargs.option('json', { type: 'boolean', default: false, describe: 'one JSON object' }),
  async run({ config: file, json }, terminal) {
    const answer = await runDoctor({ file, clock: system_clock })
    if (json) terminal.out(JSON.stringify(answer, null, 2))
    else for (const line of doctorLines(answer, terminal.width)) terminal.out(toned(line, terminal.styles))
    return exitCode(answer)
  },
}

/** What has to be mended first decides: without a configuration or a token nothing else counts. Warnings alone are no failure. */
function exitCode({ checks }: DoctorAnswer): ExitCode {
  const faulty = new Set(checks.filter(({ level }) => level === 'fault').map(({ id }) => id))
  if (faulty.has('config')) return exit_codes.config
  if (faulty.has('token') || faulty.has('project') || faulty.has('user')) return exit_codes.refused
  return faulty.size > 0 ? exit_codes.fault : exit_codes.ok
}
