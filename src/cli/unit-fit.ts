import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { misfitsOf } from '../inspect/doctor/check-unit.ts'
import { findUnit } from '../inspect/doctor/find-unit.ts'

/**
 * What the unit that systemd runs this process by does not give to a configuration; a sentence each, with what to do. It counts
 * as it was when this was called: what is laid down later holds after a restart. Nothing where no systemd started us.
 */
export function openUnitFit(config_file: string): (config: Config) => string[] {
  if (readEnvironment().notify.NOTIFY_SOCKET === undefined) return () => []
  const unit = findUnit(config_file)
  return (config) => (unit === undefined ? [] : misfitsOf(config, unit))
}
