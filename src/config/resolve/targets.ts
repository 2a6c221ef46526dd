import type { Paths } from '../../base/files/paths.ts'
import type { Config, DeliveryConfig } from '../config.ts'

type Receivers = Pick<Config, 'prompts' | 'alerts'>

/** All deliveries of one kind, with the prompt or section that names them. */
export function targetsOf<Kind extends DeliveryConfig['kind']>(
  { prompts, alerts }: Receivers,
  kind: Kind,
) {
  const all = [
    ...prompts.map(({ name, deliver }) => ({ where: `prompt ${name}`, deliver })),
    { where: 'alerts', deliver: alerts.deliver },
  ]
  const isOf = (delivery: DeliveryConfig): delivery is Extract<DeliveryConfig, { kind: Kind }> =>
    delivery.kind === kind
  return all.flatMap(({ where, deliver }) =>
    deliver.filter(isOf).map((delivery) => ({ where, delivery })),
  )
}

/** Files that hold a secret of a receiver, without duplicates, and the kind of secret. */
export function secretFiles(config: Receivers): { file: string; what: string }[] {
  const found = new Map<string, string>()
  const add = (file: string | undefined, what: string) => {
    if (file !== undefined && !found.has(file)) found.set(file, what)
  }
  for (const { delivery } of targetsOf(config, 'webhook')) {
    add(delivery.url_file, 'the address of a webhook')
    add(delivery.secret_file, 'the signing secret of a webhook')
  }
  for (const { password_file } of mailServers(config))
    add(password_file, 'the password of the mail account')
  add(config.alerts.ping?.url_file, 'the address of the ping')
  return [...found].map(([file, what]) => ({ file, what }))
}

/** Mail servers without duplicates. */
export function mailServers(config: Receivers) {
  const servers = targetsOf(config, 'email').map(({ delivery }) => delivery.smtp)
  return [...new Map(servers.map((smtp) => [JSON.stringify(smtp), smtp])).values()]
}

/** Directories of reports, without duplicates. */
export function reportDirs(config: Receivers): string[] {
  const written = targetsOf(config, 'file').map(({ delivery }) => delivery.dir)
  return [...new Set([...config.prompts.map(({ report }) => report.dir), ...written])]
}

/**
 * Warns about secret files that others may read, as for the token file. A missing or closed file is
 * reported when it is needed: it may come later, and only the daemon may need to read it.
 */
export function openSecretFiles(config: Receivers, paths: Paths): string[] {
  return secretFiles(config)
    .filter(({ file }) => ((paths.look(file).stat?.mode ?? 0) & 0o077) !== 0)
    .map(({ file }) => `the secret file ${file} is open to group or others: chmod 600 ${file}`)
}
