import type { DeliveryConfig, EmailConfig, SmtpConfig, WebhookConfig } from '../../config/config.ts'
import type { UsableConfig } from '../../config/usable.ts'

/** Where reports and alerts go, each receiver once, and who names it. */
export interface Target<Kind extends DeliveryConfig['kind']> {
  where: string
  delivery: Extract<DeliveryConfig, { kind: Kind }>
}

export function targetsOf<Kind extends DeliveryConfig['kind']>(
  { prompts, alerts }: UsableConfig,
  kind: Kind,
): Target<Kind>[] {
  const all = [
    ...prompts.flatMap(({ name, deliver }) => deliver.map((delivery) => ({ where: `prompt ${name}`, delivery }))),
    ...alerts.deliver.map((delivery) => ({ where: 'alerts', delivery })),
  ]
  return all.filter((target): target is Target<Kind> => target.delivery.kind === kind)
}

/** Files that hold a secret, each with what it holds. */
export function secretFiles(config: UsableConfig): { file: string; what: string }[] {
  const found = new Map<string, string>()
  const add = (file: string | undefined, what: string) => {
    if (file !== undefined && !found.has(file)) found.set(file, what)
  }
  for (const { delivery } of targetsOf(config, 'webhook')) addWebhook(delivery, add)
  for (const { delivery } of targetsOf(config, 'email'))
    add(delivery.smtp.password_file, 'the password of the mail account')
  add(config.alerts.ping?.url_file, 'the address of the ping')
  return [...found].map(([file, what]) => ({ file, what }))
}

function addWebhook(
  { url_file, secret_file }: WebhookConfig,
  add: (file: string | undefined, what: string) => void,
): void {
  add(url_file, 'the address of a webhook')
  add(secret_file, 'the signing secret of a webhook')
}

/** Mail servers, each once. */
export function mailServers(config: UsableConfig): SmtpConfig[] {
  const servers = targetsOf(config, 'email').map(({ delivery }: { delivery: EmailConfig }) => delivery.smtp)
  return [...new Map(servers.map((smtp) => [JSON.stringify(smtp), smtp])).values()]
}

/** Directories that reports are written to. */
export function reportDirs(config: UsableConfig): string[] {
  const written = targetsOf(config, 'file').map(({ delivery }) => delivery.dir)
  return [...new Set([...config.prompts.map(({ report }) => report.dir), ...written])]
}
