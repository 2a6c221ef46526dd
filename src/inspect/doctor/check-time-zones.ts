import { isZone } from '../../base/time.ts'
import { type Check, findings } from './check.ts'

/** What this Node knows of time zones comes with it (ICU), not from the system. */
export function checkTimeZones(prompts: readonly { name: string; schedule: { timezone: string } }[]): Check[] {
  const zones = [...new Set(prompts.map(({ schedule }) => schedule.timezone))]
  const version = process.versions.tz ?? 'unknown'
  return zones.map((zone) => {
    const { ok, fault } = findings('time_zones', zone)
    if (isZone(zone)) return ok(`known (time zone data ${version})`)
    const users = prompts.filter(({ schedule }) => schedule.timezone === zone).map(({ name }) => name)
    const hint = 'use a Node with full ICU (those of nodejs.org and of distributions have it), or another zone'
    return fault(`this Node does not know it; prompts with it: ${users.join(', ')}`, hint)
  })
}
