import type { Environment } from './environment.ts'
import { check, type Fault } from './faults.ts'
import { field } from './local-paths.ts'
import { deliveryFaults, enclosedSecret, placeFaults, wholeFile } from './prompt-faults.ts'
import { alerts_schema } from './schema-alerts.ts'

/** What is wrong between the alerts and the rest of the file; a section that does not pass its schema is left to that. */
export function alertFaults(value: unknown, environment: Environment): Fault[] {
  const written = field(value, 'alerts')
  const alerts = written === undefined ? undefined : check(alerts_schema, written).output
  if (!alerts) return []
  const whole = wholeFile(value, environment)
  return [
    ...deliveryFaults(alerts, ['alerts'], whole, false),
    ...placeFaults(alerts, ['alerts'], whole),
    ...enclosedSecret(alerts.ping, ['alerts', 'ping', 'url_file'], whole),
  ]
}
