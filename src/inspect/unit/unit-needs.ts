import { isBelow } from '../../base/path-below.ts'
import type { Config } from '../../config/config.ts'
import { mailServers, reportDirs, secretFiles } from '../../config/targets.ts'

/** systemd.exec(5): where a system service finds its credentials. */
const credentials_directory = /^\/run\/credentials\/[^/]+\/([A-Za-z0-9._-]+)$/

/**
 * What of the machine a configuration needs, for the unit that fences the service in. The token file is left out: the unit
 * hands the token over as a credential, which comes before it.
 */
export function unitNeeds(config: Config) {
  const certificates = [config.service.ca_file, ...mailServers(config).map(({ ca_file }) => ca_file)]
  const named = [...secretFiles(config).map(({ file }) => file), ...certificates].filter((path) => path !== undefined)
  return {
    /** Watched folders: read, never written. */
    folders: unique(config.folders.map(({ path }) => path)),
    /** Directories that reports and copies of them are written to, outside the state directory. */
    written: unique(reportDirs(config).filter((path) => !isBelow(path, config.state_dir))),
    /** Certificates and secrets that the configuration names by path. */
    files: unique(named.filter((path) => !credentials_directory.test(path))),
    /** Secrets that it names in systemd's credentials directory, by their names; the token is always one and not among them. */
    credentials: unique(named.flatMap((path) => credentials_directory.exec(path)?.[1] ?? [])),
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
