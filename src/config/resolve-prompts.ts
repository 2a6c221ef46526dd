import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { DeliveryConfig, PromptConfig, SmtpConfig } from './config.ts'
import { field } from './local-paths.ts'
import type { CheckedConfig } from './schema.ts'
import { type CheckedDelivery, type CheckedSmtp, usual_file_name } from './schema-deliver.ts'
import type { CheckedPrompt } from './schema-prompts.ts'

const usual_ports = { implicit: 465, starttls: 587, none: 25 }

export interface Surroundings {
  checked: CheckedConfig
  /** Absolute. */
  state_dir: string
  expand: (path: string) => string
}

/** Fills in what depends on other fields. Only for prompts that `promptFaults` has nothing to say about. */
export function resolvePrompt(prompt: CheckedPrompt, around: Surroundings): PromptConfig {
  const { project_id, cron, timezone, provider, public_data, scope, wait_for_files, catch_up, deliver, ...rest } =
    prompt
  const { service, folders } = around.checked
  const folder = folders.find(({ name }) => name === scope.folders[0])
  const report = deliver.find(({ file }) => file !== undefined)
  return {
    ...rest,
    project_id: project_id ?? folder?.project_id ?? service.project_id,
    schedule: { cron, timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone },
    provider,
    public_data,
    scope: { ...scope, fresh: scope.fresh ?? 'since_last_run' },
    wait_for_files_ms: wait_for_files,
    catch_up_ms: catch_up,
    report: report?.file
      ? { dir: around.expand(report.file.dir), file_name: report.file.name }
      : { dir: join(around.state_dir, 'reports'), file_name: usual_file_name },
    deliver: deliver.flatMap((delivery) =>
      delivery === report
        ? []
        : [resolveDelivery(delivery, deliveryName(delivery, around.checked, around.expand), around)],
    ),
  }
}

/**
 * Made of the receiver, never of the place in the list: a report that waits for one must not go to another when the list changes.
 * `file`: the whole configuration, whose section smtp serves deliveries without their own.
 */
export function deliveryName(delivery: CheckedDelivery, file: unknown, expand: Surroundings['expand']): string {
  if (delivery.name !== undefined) return delivery.name
  const receiver = JSON.stringify(receiverOf(delivery, file, expand))
  return `${kindOf(delivery)}-${createHash('sha256').update(receiver).digest('hex').slice(0, 8)}`
}

function receiverOf(delivery: CheckedDelivery, whole: unknown, expand: Surroundings['expand']): unknown {
  const { file, webhook, email, command } = delivery
  if (file) return [expand(file.dir), file.name]
  if (webhook) return webhook.url ?? expand(webhook.url_file ?? '')
  if (email) return [email.to.toSorted(), email.smtp?.host ?? field(field(whole, 'smtp'), 'host')]
  return command?.run
}

function kindOf({ file, webhook, email }: CheckedDelivery): DeliveryConfig['kind'] {
  if (file) return 'file'
  if (webhook) return 'webhook'
  return email ? 'email' : 'command'
}

export function resolveDelivery(
  delivery: CheckedDelivery,
  name: string,
  { checked, expand }: Pick<Surroundings, 'checked' | 'expand'>,
): DeliveryConfig {
  const { file, webhook, email, command } = delivery
  if (file) return { kind: 'file', name, dir: expand(file.dir), file_name: file.name }
  if (webhook) {
    const { url, url_file, secret_file, body } = webhook
    const files = { url_file: url_file && expand(url_file), secret_file: secret_file && expand(secret_file) }
    return { kind: 'webhook', name, ...given({ url, ...files }), body }
  }
  if (email) {
    const { to, from, subject } = email
    const smtp = email.smtp ?? checked.smtp
    if (!smtp) throw new Error('the check lets no e-mail without a server pass')
    return { kind: 'email', name, to, from, ...given({ subject }), smtp: resolveSmtp(smtp, expand) }
  }
  if (!command) throw new Error('the schema lets no delivery without a kind pass')
  return { kind: 'command', name, run: command.run, timeout_ms: command.timeout }
}

function resolveSmtp(smtp: CheckedSmtp, expand: Surroundings['expand']): SmtpConfig {
  const { host, user, password_file, ca_file } = smtp
  const tls = smtp.tls ?? (smtp.port === usual_ports.starttls ? 'starttls' : 'implicit')
  const files = { password_file: password_file && expand(password_file), ca_file: ca_file && expand(ca_file) }
  return { host, port: smtp.port ?? usual_ports[tls], tls, ...given({ user, ...files }) }
}

/** Leaves out what is undefined: exactOptionalPropertyTypes tells the two apart. */
export function given<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as { [Key in keyof T]?: Exclude<T[Key], undefined> }
}
