import { isBelow } from '../../base/path-below.ts'
import type { Config, DeliveryConfig, SmtpConfig } from '../../config/config.ts'

/** What of the machine a configuration needs, for the unit that fences the service in. */
export interface UnitNeeds {
  /** Watched folders: read, never written. */
  readonly folders: readonly string[]
  /** Directories that reports and copies of them are written to, outside the state directory. */
  readonly written: readonly string[]
  /** Certificates and secrets that the configuration names by path. */
  readonly files: readonly string[]
  /** Secrets that it names in systemd's credentials directory, by their names; the token is always one and not among them. */
  readonly credentials: readonly string[]
}

/** systemd.exec(5): where a system service finds its credentials. */
const credentials_directory = /^\/run\/credentials\/[^/]+\/([A-Za-z0-9._-]+)$/

/** The token file is left out: the unit hands the token over as a credential, which comes before it. */
export function unitNeeds(config: Config): UnitNeeds {
  const targets = [...config.prompts.flatMap(({ deliver }) => deliver), ...config.alerts.deliver]
  const directories = [
    ...config.prompts.map(({ report }) => report.dir),
    ...targets.flatMap((target) => (target.kind === 'file' ? [target.dir] : [])),
  ]
  const named = [config.service.ca_file, config.alerts.ping?.url_file, ...targets.flatMap(filesOf)].filter(
    (path) => path !== undefined,
  )
  const credentials = named.flatMap((path) => credentials_directory.exec(path)?.[1] ?? [])
  return {
    folders: unique(config.folders.map(({ path }) => path)),
    written: unique(directories.filter((path) => !isBelow(path, config.state_dir))),
    files: unique(named.filter((path) => !credentials_directory.test(path))),
    credentials: unique(credentials),
  }
}

function filesOf(target: DeliveryConfig): (string | undefined)[] {
  if (target.kind === 'webhook') return [target.url_file, target.secret_file]
  return target.kind === 'email' ? smtpFiles(target.smtp) : []
}

function smtpFiles({ password_file, ca_file }: SmtpConfig): (string | undefined)[] {
  return [password_file, ca_file]
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
