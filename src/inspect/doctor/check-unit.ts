import type { UsableConfig } from '../../config/usable.ts'
import { unitFit } from '../unit/drop-in.ts'
import { type Check, ok, warning } from './check.ts'
import type { FoundUnit } from './find-unit.ts'

/** Whether the unit that runs this configuration lets it do what it says. Nothing where no unit does. */
export function checkUnit(config: UsableConfig, unit: FoundUnit | undefined): Check[] {
  if (unit === undefined) return []
  const { name, drop_in, drop_in_file } = unit
  if (drop_in === undefined) {
    const hint = 'run `sluice install`, which makes it from the configuration'
    return [warning('unit', name, `${drop_in_file} is not there: the unit knows neither folders nor reports`, hint)]
  }
  if (config.service === undefined) return [warning('unit', name, 'not compared: the configuration is not in order')]
  const misfits = unitFit({ ...config, service: config.service }, drop_in)
  return misfits.length > 0
    ? misfits.map((line) => warning('unit', name, line))
    : [ok('unit', name, 'it fits the configuration')]
}
