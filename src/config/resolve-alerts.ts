import type { AlertsConfig } from './config.ts'
import { constants } from './constants.ts'
import { deliveryName, given, resolveDelivery, type Surroundings } from './resolve-prompts.ts'

/** Only for a section that `alertFaults` has nothing to say about. */
export function resolveAlerts(around: Pick<Surroundings, 'checked' | 'expand'>): AlertsConfig {
  const { checked, expand } = around
  const { deliver, ping, ...rest } = checked.alerts
  const name = (delivery: (typeof deliver)[number]) => deliveryName(delivery, checked, expand)
  return {
    ...constants.alerts,
    ...rest,
    deliver: deliver.map((delivery) => resolveDelivery(delivery, name(delivery), around)),
    ...given({ ping: ping && { ...pingOf(ping, expand) } }),
  }
}

function pingOf(
  { url, url_file }: NonNullable<Surroundings['checked']['alerts']['ping']>,
  expand: Surroundings['expand'],
) {
  return given({ url, url_file: url_file && expand(url_file) })
}
