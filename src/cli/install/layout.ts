import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBelow } from '../../base/files/path-below.ts'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { loadConfig } from '../../config/load.ts'
import { unitNeeds } from '../../inspect/unit/drop-in.ts'
import { idsOf } from '../../inspect/unit/unit-facts.ts'

/** The user that systemd/sluice.sysusers makes. */
export const service_user = 'sluice'

/**
 * The paths of an installation. One instance is one configuration, with its own unit, token and
 * state.
 */
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
  // /etc/sluice/sluice.yaml belongs to sluice.service, and a purge of one instance would remove it
  // for the other.
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

/** Files of the package, and the paths where systemd or the kernel reads them. */
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

/**
 * The absolute paths of node and of the program. Without a login, `env node` finds no node of a
 * version manager, or another one.
 */
export function programPlace(): { node: string; program: string } {
  const running = realpathSync(process.execPath)
  // A package manager installs the next version under the same name. A path with a version in it
  // would break.
  const usual = ['/usr/bin/node', '/usr/local/bin/node'].find(
    (path) => existsSync(path) && realpathSync(path) === running,
  )
  return { node: usual ?? running, program: fileURLToPath(new URL('../main.js', import.meta.url)) }
}

/** A marker for the home of the service's user. It shows which paths were written with `~`. */
const strange_home = '/~'

export interface ServiceConfig {
  config: Config
  text: string
  /** The file it was read from. */
  file: string
  /** Path for the user who installs. The service usually gets a copy as its credential. */
  token_file: string | undefined
}

/**
 * Loads a configuration as the service will see it. Errors: those of `loadConfig`, and
 * `config.home` for paths that depend on the user.
 */
export function loadForService(file: string | undefined, state_dir: string): ServiceConfig {
  // Variables of this shell do not reach the service: its configuration must be valid without them.
  const { config_file, home, config_home } = readEnvironment()
  const mine = loadConfig({
    file: file ?? config_file,
    env: { HOME: home, XDG_CONFIG_HOME: config_home },
  })
  const { config } = loadConfig({
    file: mine.file,
    env: { HOME: strange_home, STATE_DIRECTORY: state_dir },
  })
  const { folders, written, files } = unitNeeds(config)
  const homely = [...folders, ...written, ...files, config.state_dir].filter((path) =>
    isBelow(path, strange_home),
  )
  if (homely.length > 0) {
    throw new SluiceError({
      code: 'config.home',
      message: `${mine.file} names ${homely.map((path) => `~${path.slice(strange_home.length)}`).join(', ')}: "~" is another home to the service`,
      hint: 'write these paths out, from / on',
    })
  }
  return {
    config,
    file: mine.file,
    text: readFileSync(mine.file, 'utf8'),
    token_file: mine.config.service.token_file,
  }
}

const homes = ['/home', '/root', '/run/user']
/** The service has directories of its own in place of these (PrivateTmp= of the unit). */
const private_directories = ['/tmp', '/var/tmp']
const patience_ms = 60_000
const advice =
  'install node and Sluice for everybody, for instance, in its checkout: npm install -g --prefix /usr/local --omit=dev ./$(npm pack --silent)'

/** Error `install.program`: the service would not find this node or program, or not for long. */
export function refuseHiddenProgram(place: { node: string; program: string }): void {
  for (const [what, path] of Object.entries(place)) {
    const isIn = (directory: string) => isBelow(path, directory)
    const is_private = private_directories.some(isIn)
    if (!is_private && !homes.some(isIn)) continue
    const why = is_private
      ? 'the service has a temporary directory of its own'
      : 'homes are closed to the service, or will be, and a version manager moves what lies there'
    throw new SluiceError({
      code: 'install.program',
      message: `${what} lies at ${path}: ${why}`,
      hint: advice,
    })
  }
}

/**
 * Runs the program as the service's user, or as another unprivileged user until that one exists.
 * Only root can do this. Error `install.program`.
 */
export function tryProgram({ node, program }: { node: string; program: string }): void {
  const { uid, gid } = idsOf(service_user)
  const words = ['--reuid', uid, '--regid', gid, '--clear-groups', '--', node, program, 'version']
  const { status, stderr, error } = spawnSync('setpriv', words, {
    encoding: 'utf8',
    timeout: patience_ms,
    cwd: '/',
    env: { HOME: '/nonexistent' },
  })
  if (status === 0) return
  const why = error ? messageOf(error) : stderr.trim().split('\n').at(-1)
  throw new SluiceError({
    code: 'install.program',
    message: `the service’s user cannot run ${node} ${program}: ${why}`,
    hint: advice,
  })
}

/** sd_booted(3): systemd is process 1 of this machine. */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}

export function notRoot(command: string): SluiceError {
  return new SluiceError({
    code: 'install.root',
    message: `${command} changes /etc and needs root`,
    hint: `sudo sluice ${command}; with --dry-run it shows what it would do, to anybody`,
  })
}
