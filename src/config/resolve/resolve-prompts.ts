import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { CheckedConfig } from '../schema/schema.ts'
import {
  type CheckedDelivery,
  type CheckedSmtp,
  delivery_kinds,
  usual_file_name,
} from '../schema/schema-deliver.ts'
import type { CheckedPrompt } from '../schema/schema-prompts.ts'
import { expandPath, field } from './local-paths.ts'

const usual_ports = { implicit: 465, starttls: 587, none: 25 }

export interface Surroundings {
  checked: CheckedConfig
  /** Absolute. */
  state_dir: string
  home: string
}

/** Fills in values that depend on other fields. Only for prompts without `promptFaults`. */
export function resolvePrompt(prompt: CheckedPrompt, around: Surroundings) {
  const {
    project_id,
    cron,
    timezone,
    provider,
    public_data,
    read,
    scope,
    wait_for_files,
    catch_up,
    deliver,
    ...rest
  } = prompt
  const { service, folders } = around.checked
  const folder = folders.find(({ name }) => name === scope.folders[0])
  const report = deliver.find(({ file }) => file !== undefined)
  return {
    ...rest,
    /** The prompt's own, else that of its folders, else service.project_id. */
    project_id: project_id ?? folder?.project_id ?? service.project_id,
    /** Five cron fields, and an IANA time zone. */
    schedule: { cron, timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone },
    provider,
    public_data,
    read,
    /** Never empty: an empty scope would mean everything. */
    scope: { ...scope, fresh: scope.fresh ?? 'since_last_run' },
    wait_for_files_ms: wait_for_files,
    catch_up_ms: catch_up,
    /** The first `file` delivery, or a directory in the state directory. */
    report: report?.file
      ? { dir: expandPath(report.file.dir, around.home), file_name: report.file.name }
      : { dir: join(around.state_dir, 'reports'), file_name: usual_file_name },
    /** All other deliveries; their names are unique in the prompt. */
    deliver: deliver
      .filter((delivery) => delivery !== report)
      .map((delivery) => resolveDelivery(delivery, around)),
  }
}

/**
 * Derives a name from the receiver, not from its index: after a change of the list, a waiting
 * report must not go to another receiver. `whole` is the configuration, whose section smtp may name
 * the server.
 */
export function deliveryName(delivery: CheckedDelivery, whole: unknown, home: string): string {
  if (delivery.name !== undefined) return delivery.name
  const receiver = JSON.stringify(receiverOf(delivery, whole, home))
  const kind = delivery_kinds.find((kind) => delivery[kind] !== undefined)
  return `${kind}-${createHash('sha256').update(receiver).digest('hex').slice(0, 8)}`
}

function receiverOf(
  { file, webhook, email, command }: CheckedDelivery,
  whole: unknown,
  home: string,
): unknown {
  if (file) return [expandPath(file.dir, home), file.name]
  if (webhook) return webhook.url ?? expandPath(webhook.url_file ?? '', home)
  if (email) return [email.to.toSorted(), email.smtp?.host ?? field(field(whole, 'smtp'), 'host')]
  return command?.run
}

export function resolveDelivery(
  delivery: CheckedDelivery,
  { checked, home }: Pick<Surroundings, 'checked' | 'home'>,
) {
  const { file, webhook, email, command } = delivery
  const name = deliveryName(delivery, checked, home)
  if (file)
    return { kind: 'file' as const, name, dir: expandPath(file.dir, home), file_name: file.name }
  if (webhook) return { kind: 'webhook' as const, name, ...resolved(webhook, home) }
  if (email) {
    const smtp = email.smtp ?? checked.smtp
    if (!smtp) throw new Error('the check lets no e-mail without a server pass')
    return { kind: 'email' as const, name, ...resolved(email, home), smtp: resolveSmtp(smtp, home) }
  }
  if (!command) throw new Error('the schema lets no delivery without a kind pass')
  return { kind: 'command' as const, name, run: command.run, timeout_ms: command.timeout }
}

/** Keeps one order of fields, so that equal servers compare as equal. */
function resolveSmtp({ host, port, tls: written, ...rest }: CheckedSmtp, home: string) {
  const tls = written ?? (port === usual_ports.starttls ? 'starttls' : 'implicit')
  return { host, port: port ?? usual_ports[tls], tls, ...resolved(rest, home) }
}

/** Optional fields without undefined, as exactOptionalPropertyTypes requires. */
type Resolved<Section> = {
  [Key in keyof Section as undefined extends Section[Key] ? Key : never]?: Exclude<
    Section[Key],
    undefined
  >
} & { [Key in keyof Section as undefined extends Section[Key] ? never : Key]: Section[Key] }

/** Removes unset fields and makes paths absolute. Only names of paths end in path, dir or file. */
export function resolved<Section extends object>(
  section: Section,
  home: string,
): Resolved<Section> {
  const set = Object.entries(section).filter(([, value]) => value !== undefined)
  const is_path = /(^|_)(path|dir|file|cert|key)$/
  const entries = set.map(([key, value]) => [
    key,
    typeof value === 'string' && is_path.test(key) ? expandPath(value, home) : value,
  ])
  return Object.fromEntries(entries) as Resolved<Section>
}
