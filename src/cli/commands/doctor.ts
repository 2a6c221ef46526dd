import { counted } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import type { Check, Level } from '../../inspect/doctor/check.ts'
import { check_groups } from '../../inspect/doctor/check.ts'
import { type DoctorAnswer, runDoctor } from '../../inspect/doctor/run-doctor.ts'
import { Programs } from '../../service/recognise/programs.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import { defineCommand, flag } from '../command.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { printJson, printLines } from '../text/print.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('all', flag('also the checks that are fine, by group'))
      .option('json', flag('one JSON object')),
  async run({ config: file, all, json }, terminal) {
    const program_path = readEnvironment().for_commands.PATH
    const programs = new Programs({ recognition: 'installed', program_path })
    const answer = await runDoctor({
      file,
      clock: system_clock,
      describeScans: () => programs.describe(),
    })
    const linesOf = all ? allCheckLines : doctorLines
    if (json) printJson(terminal, answer)
    else printLines(terminal, linesOf(answer, terminal.width))
    return exitCode(answer)
  },
})

/**
 * The most basic fault decides: without a configuration or a token, nothing else counts. Warnings
 * alone are no failure.
 */
function exitCode({ checks }: DoctorAnswer): ExitCode {
  const faulty = new Set(checks.filter(({ level }) => level === 'fault').map(({ id }) => id))
  if (faulty.has('config')) return exit_codes.config
  if (faulty.has('token') || faulty.has('project') || faulty.has('user')) return exit_codes.refused
  return faulty.size > 0 ? exit_codes.fault : exit_codes.ok
}

const marks: Record<Level, string> = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' }
const tones: Record<Level, Line['tone']> = { ok: 'plain', warning: 'warn', fault: 'bad' }

/** Lists the faults, then the warnings, then the number of checks that are fine. */
export function doctorLines({ checks }: DoctorAnswer, width: number): Line[] {
  const writer = new LineWriter(width)
  const of = (level: Level) => checks.filter((check) => check.level === level)
  const wrong = [...of('fault'), ...of('warning')]
  for (const check of wrong) {
    // The id of a check is for programs and for --all, unless it is the subject.
    const { id, about } = check
    sayCheck(writer, check, about === id ? about.replaceAll('_', ' ') : about)
  }
  if (wrong.length > 0) writer.gap()
  const fine = counted(checks.length - wrong.length, 'check')
  const text = wrong.length > 0 ? `${fine} fine` : `all in order: ${fine}`
  writer.say(`${text} (\`sluice doctor --all\` lists every check)`, {
    tone: wrong.length > 0 ? 'plain' : 'good',
  })
  return writer.lines
}

/** Lists all checks by group and in a fixed order, so that two runs can be compared. */
export function allCheckLines({ checks }: DoctorAnswer, width: number): Line[] {
  const writer = new LineWriter(width)
  for (const [group, ids] of Object.entries(check_groups)) {
    const of_group = checks.filter(({ id }) => (ids as readonly string[]).includes(id))
    if (of_group.length === 0) continue
    writer.gap()
    writer.say(group, { tone: 'strong' })
    for (const check of of_group) {
      const { id, about } = check
      sayCheck(writer, check, about === id ? id : `${id}: ${about}`)
    }
  }
  return writer.lines
}

function sayCheck(writer: LineWriter, { level, message, hint }: Check, subject: string): void {
  writer.detail(`${marks[level]} ${subject}: ${message}`, tones[level])
  if (hint !== undefined) writer.say(hint, { indent: 10 })
}
