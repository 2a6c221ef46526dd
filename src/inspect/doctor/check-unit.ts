import type { Config } from '../../config/config.ts'
import type { UsableConfig } from '../../config/usable.ts'
import { unitFit } from '../unit/drop-in.ts'
import { type Check, findings } from './check.ts'
import type { FoundUnit } from './find-unit.ts'

/** Whether the unit that runs this configuration lets it do what it says. Nothing where no unit does. */
export function checkUnit(config: UsableConfig, unit: FoundUnit | undefined): Check[] {
  if (unit === undefined) return []
  const { ok, warning } = findings('unit', unit.name)
  if (config.service === undefined) return [warning('not compared: the configuration is not in order')]
  const misfits = misfitsOf({ ...config, service: config.service }, unit)
  return misfits.length > 0 ? misfits.map((line) => warning(line)) : [ok('it fits the configuration')]
}

/** What the unit does not give to the configuration, or gives without need: a sentence each, with what to do. */
export function misfitsOf(config: Config, { drop_in, drop_in_file }: FoundUnit): string[] {
  if (drop_in !== undefined) return unitFit(config, drop_in)
  const cure = 'run `sluice install`, which makes it from the configuration, and restart the service'
  return [`${drop_in_file} is not there, the unit knows neither folders nor reports: ${cure}`]
}
