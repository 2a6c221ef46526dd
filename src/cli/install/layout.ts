import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SluiceError } from '../../base/errors.ts'

/** The user that systemd/sluice.sysusers makes. */
export const service_user = 'sluice'

/** Where the parts of an installation lie; one instance is one configuration, with a unit, a token and a state of its own. */
export interface Layout {
  readonly unit: string
  readonly config: string
  readonly token: string
  /** StateDirectory= of the unit. */
  readonly state_dir: string
  readonly drop_in: string
  /** Files of the package -> where they go. The same for all instances. */
  readonly shared: readonly { readonly from: string; readonly to: string }[]
}

/** Without a name: `sluice.service` and /etc/sluice/sluice.yaml. Errors: `usage.instance`. */
export function layoutOf(instance: string | undefined): Layout {
  if (instance !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(instance)) {
    throw new SluiceError({
      code: 'usage.instance',
      message: `${instance} cannot be the name of an instance`,
      hint: 'letters, digits, "_", "." and "-"; not at the beginning',
    })
  }
  // /etc/sluice/sluice.yaml is that of sluice.service, and a purge of one would take it from the other.
  if (instance === service_user) {
    throw new SluiceError({
      code: 'usage.instance',
      message: `${instance} cannot be the name of an instance: sluice.service has its configuration`,
      hint: 'choose another name, or leave --instance out',
    })
  }
  const unit = instance === undefined ? 'sluice.service' : `sluice@${instance}.service`
  return {
    unit,
    config: `/etc/sluice/${instance ?? 'sluice'}.yaml`,
    token: instance === undefined ? '/etc/sluice/token' : `/etc/sluice/${instance}.token`,
    state_dir: instance === undefined ? '/var/lib/sluice' : `/var/lib/sluice-${instance}`,
    drop_in: `/etc/systemd/system/${unit}.d/10-config.conf`,
    shared: shared
      .map(([name, to]) => ({ from: join(package_root, 'systemd', name), to }))
      .filter(({ from }) => existsSync(from)),
  }
}

const package_root = fileURLToPath(new URL('../../../', import.meta.url))

/** The last part of a name says what it is, the directory where systemd or the kernel looks for it. */
const shared = [
  ['sluice.service', '/etc/systemd/system/sluice.service'],
  ['sluice@.service', '/etc/systemd/system/sluice@.service'],
  ['sluice.sysusers', '/etc/sysusers.d/sluice.conf'],
  ['sluice.sysctl', '/etc/sysctl.d/60-sluice.conf'],
  ['sluice.tmpfiles', '/etc/tmpfiles.d/sluice.conf'],
] as const

export function packagedText(from: string): string {
  return readFileSync(from, 'utf8')
}

/** Where node and the program really are. Under a version manager `env node` finds nothing without a login, or another one. */
export function programPlace(): { node: string; program: string } {
  const running = realpathSync(process.execPath)
  // A package manager puts the next version under the same name, which a path with a version in it would miss.
  const usual = ['/usr/bin/node', '/usr/local/bin/node'].find(
    (path) => existsSync(path) && realpathSync(path) === running,
  )
  return { node: usual ?? running, program: fileURLToPath(new URL('../main.js', import.meta.url)) }
}
