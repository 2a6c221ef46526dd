import { counted } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Check, Level } from '../../inspect/doctor/check.ts'
import { check_groups } from '../../inspect/doctor/check.ts'
import { type DoctorAnswer, runDoctor } from '../../inspect/doctor/run-doctor.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import { defineCommand, flag } from '../command.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { printJson, printLines } from '../text/print.ts'

export const command = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: file, json }, terminal) {
    const answer = await runDoctor({ file, clock: system_clock })
    if (json) printJson(terminal, answer)
    else printLines(terminal, doctorLines(answer, terminal.width))
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

/**
 * Lists the checks by group and in a fixed order, so that two runs can be compared. The counts come
 * last.
 */
export function doctorLines(answer: DoctorAnswer, width: number): Line[] {
  const writer = new LineWriter(width)
  for (const [group, ids] of Object.entries(check_groups)) {
    const checks = answer.checks.filter(({ id }) => (ids as readonly string[]).includes(id))
    if (checks.length === 0) continue
    writer.gap()
    writer.say(group, { tone: 'strong' })
    for (const check of checks) sayCheck(writer, check)
  }
  writer.gap()
  writer.say(closingText(answer), {
    tone: answer.faults > 0 ? 'bad' : answer.warnings > 0 ? 'warn' : 'good',
  })
  return writer.lines
}

function sayCheck(writer: LineWriter, { id, level, about, message, hint }: Check): void {
  // Some checks are about nothing but what their id names: `md5`, `clock`.
  const subject = about === id ? '' : `${about}: `
  writer.say(`${marks[level]} ${id}: ${subject}${message}`, { indent: 2, tone: tones[level] })
  if (hint !== undefined) writer.say(hint, { indent: 10 })
}

function closingText({ faults, warnings, checks }: DoctorAnswer): string {
  if (faults + warnings === 0) return `all in order: ${checks.length} checks`
  const count = (number: number, what: string) => (number === 0 ? [] : [counted(number, what)])
  return [...count(faults, 'fault'), ...count(warnings, 'warning')].join(', ')
}
