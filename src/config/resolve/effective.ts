import { stringify } from 'yaml'
import { second_ms } from '../../base/time/time.ts'
import type { Config, DeliveryConfig, FolderConfig, PromptConfig } from '../config.ts'
import { bandwidthText } from '../schema/bandwidth-text.ts'
import { withoutConstants } from '../schema/constants.ts'
import { durationText, sizeText } from '../schema/units.ts'
import { field, listOf } from './local-paths.ts'
import { targetsOf } from './targets.ts'

/** Replaces what must not be shown. */
const mask = '***'

/**
 * Returns the effective values as a file that gives the same configuration again, except for masked
 * addresses (webhooks and the ping), which the first line mentions. All other secrets are in files
 * that a Config only names. `written`: the content of the file, whose durations and sizes are
 * shown as they stand there.
 */
export function configAsYaml(config: Config, written?: unknown): string {
  const { folders, prompts, alerts, uploads, ...rest } = maskedConfig(config)
  const values = {
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
  }
  const text = stringify(asWritten(values, written))
  return holdsAddresses(config)
    ? `# ${mask} in an address stands for what is not shown\n${text}`
    : text
}

const amount_name =
  /(^|_)(ms|s|bytes)$|^(max_bytes_per_day|bandwidth|start|fresh|wait_for_files|catch_up)$/

/** `name`: that of the field, or of the amount around it. */
function asWritten(value: unknown, written: unknown, name = ''): unknown {
  const is_amount = amount_name.test(name)
  const is_whole = typeof written !== 'object' || name === 'bandwidth'
  if (is_amount && is_whole && written !== undefined) return written
  if (is_amount && typeof value === 'number') {
    if (name.includes('bytes')) return sizeText(value)
    return durationText(name.endsWith('_s') ? value * second_ms : value)
  }
  if (Array.isArray(value)) return value.map((inner, at) => asWritten(inner, listOf(written)[at]))
  if (typeof value !== 'object' || value === null) return value
  // The first delivery of a prompt is the report, wherever it stands in the file.
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === 'deliver' ? inner : asWritten(inner, field(written, key), is_amount ? name : key),
  ])
  return Object.fromEntries(entries)
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
