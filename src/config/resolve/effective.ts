import { stringify } from 'yaml'
import type { Config, DeliveryConfig, FolderConfig, PromptConfig } from '../config.ts'
import { bandwidthText } from '../schema/bandwidth-text.ts'
import { withoutConstants } from '../schema/constants.ts'
import { durationText } from '../schema/units.ts'
import { targetsOf } from './targets.ts'

/** Replaces what must not be shown. */
const mask = '***'

/**
 * Returns the effective values as a file that gives the same configuration again, except for masked
 * addresses (webhooks and the ping), which the first line mentions. All other secrets are in files
 * that a Config only names.
 */
export function configAsYaml(config: Config): string {
  const { folders, prompts, alerts, uploads, ...rest } = maskedConfig(config)
  const text = stringify({
    ...withoutConstants({
      ...rest,
      uploads: { ...uploads, bandwidth: bandwidthText(uploads.bandwidth) },
      alerts: { ...alerts, deliver: alerts.deliver.map(deliveryAsWritten) },
    }),
    folders: folders.map(({ settle_cap_ms: _not_set, ...folder }) => ({
      ...folder,
      start: startAsWritten(folder),
    })),
    prompts: prompts.map(promptAsWritten),
  })
  return holdsAddresses(config)
    ? `# ${mask} in an address stands for what is not shown\n${text}`
    : text
}

/**
 * True if the file holds an address that is masked: addresses of webhooks and pings are secrets.
 */
export function holdsAddresses(config: Config): boolean {
  const has_url = targetsOf(config, 'webhook').some(({ delivery }) => delivery.url !== undefined)
  return has_url || config.alerts.ping?.url !== undefined
}

/** The configuration without secrets: addresses of webhooks and the ping lose their path. */
export function maskedConfig(config: Config): Config {
  const prompts = config.prompts.map((prompt) => ({
    ...prompt,
    deliver: prompt.deliver.map(masked),
  }))
  const { ping, ...alerts } = config.alerts
  const deliver = alerts.deliver.map(masked)
  return { ...config, prompts, alerts: { ...alerts, deliver, ...(ping && { ping: masked(ping) }) } }
}

function masked<Target extends object>(target: Target & { url?: string }): Target {
  return target.url === undefined
    ? target
    : { ...target, url: `${new URL(target.url).origin}/${mask}` }
}

function startAsWritten({ start }: Pick<FolderConfig, 'start'>): unknown {
  return start.kind === 'newer_than' ? { newer_than: durationText(start.age_ms) } : start.kind
}

function promptAsWritten(prompt: PromptConfig): unknown {
  const { schedule, scope, wait_for_files_ms, catch_up_ms, report, deliver, name, ...rest } = prompt
  const { folders, paths, fresh, ...others } = scope
  const files = {
    folders,
    paths,
    fresh: typeof fresh === 'object' ? durationText(fresh.within_ms) : fresh,
  }
  return {
    name,
    ...schedule,
    ...rest,
    scope: { ...(folders.length > 0 ? files : {}), ...others },
    wait_for_files: durationText(wait_for_files_ms),
    catch_up: durationText(catch_up_ms),
    deliver: [
      { file: { dir: report.dir, name: report.file_name } },
      ...deliver.map(deliveryAsWritten),
    ],
  }
}

function deliveryAsWritten(target: DeliveryConfig): unknown {
  const { name, kind, ...rest } = target
  if (target.kind === 'file') return { name, file: { dir: target.dir, name: target.file_name } }
  if (target.kind === 'command') {
    return { name, command: { run: target.run, timeout: durationText(target.timeout_ms) } }
  }
  return { name, [kind]: rest }
}
