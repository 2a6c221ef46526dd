import { type Stats, statSync } from 'node:fs'
import { codeOf } from '../../base/run/errors.ts'
import { isZone } from '../../base/time/time.ts'
import type { ExaminedConfig } from '../../config/resolve/usable.ts'
import { type Check, findings } from './check.ts'

export function checkConfig(
  { file, faults, hint, warnings }: ExaminedConfig,
  unresponsive: readonly string[],
): Check[] {
  const about = file ?? 'sluice.yaml'
  const find = findings('config', about)
  const checks = faults.map((line) => find.fault(withoutFile(line, about), hint))
  checks.push(...warnings.map((line) => find.warning(line)))
  if (unresponsive.length > 0) {
    const hint =
      'run this again when they answer: whether one path lies inside another was not checked'
    checks.push(find.warning(`it names paths that do not answer: ${unresponsive.join(', ')}`, hint))
  }
  if (file !== undefined && isOpenToWriters(file)) {
    const hint = `the file decides where the token is sent: chmod go-w ${file}`
    checks.push(find.fault('users other than its owner may change it', hint))
  }
  return checks.length > 0 ? checks : [find.ok('in order')]
}

/** Removes the file name, which the check shows, and turns a position into `line 3:5: …`. */
function withoutFile(line: string, about: string): string {
  if (!line.startsWith(`${about}:`)) return line
  const rest = line.slice(about.length + 1)
  return /^\d/.test(rest) ? `line ${rest}` : rest.trimStart()
}

/**
 * True if others may write the file, or its group, unless that is the group of root or of this
 * process. A user who can change the file can send the token to another host.
 */
function isOpenToWriters(file: string): boolean {
  let stat: Stats
  try {
    stat = statSync(file)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    // Another check says that the file is missing or cannot be read.
    return false
  }
  return (
    (stat.mode & 0o002) !== 0 ||
    ((stat.mode & 0o020) !== 0 && stat.gid !== 0 && stat.gid !== process.getgid?.())
  )
}

/** Checks that Node knows the prompts' zones: it uses its own (ICU), not those of the system. */
export function checkTimeZones(
  prompts: readonly { name: string; schedule: { timezone: string } }[],
): Check[] {
  const zones = [...new Set(prompts.map(({ schedule }) => schedule.timezone))]
  const version = process.versions.tz ?? 'unknown'
  return zones.map((zone) => {
    const { ok, fault } = findings('time_zones', zone)
    if (isZone(zone)) return ok(`known (time zone data ${version})`)
    const users = prompts
      .filter(({ schedule }) => schedule.timezone === zone)
      .map(({ name }) => name)
    const hint =
      'use a Node with full ICU (those of nodejs.org and of distributions have it), or another zone'
    return fault(`this Node does not know it; prompts with it: ${users.join(', ')}`, hint)
  })
}
