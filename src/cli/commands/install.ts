import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isSluiceError, SluiceError } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import { holdsAddresses } from '../../config/resolve/effective.ts'
import { openSecrets } from '../../config/secrets.ts'
import { dropInOf, unitNeeds } from '../../inspect/unit/drop-in.ts'
import {
  type Closed,
  hasUser,
  idsOf,
  isOwnedBy,
  isRefreshing,
  mountsOf,
  type Reach,
  reachOf,
  type TryAs,
  tryAs,
} from '../../inspect/unit/unit-facts.ts'
import { defineCommand, flag, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type Builder, createBuilder } from '../install/lay-down.ts'
import {
  hasSystemd,
  type Layout,
  layoutOf,
  loadForService,
  notRoot,
  packagedText,
  programPlace,
  refuseHiddenProgram,
  type ServiceConfig,
  service_user,
  tryProgram,
} from '../install/layout.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('dry-run', flag('show what would be done, do nothing'))
      .option('instance', text('a configuration of its own: /etc/sluice/NAME.yaml as sluice@NAME'))
      .option(
        'token-file',
        text(
          'the file that holds the token; it is copied for root alone (default: that of the configuration)',
        ),
      )
      .option('prefix', text('lay the files below this directory and run nothing (for packages)'))
      .example('sudo $0 install --dry-run', 'what it would do, and which commands come next')
      .example(
        'sudo $0 install --config sluice.yaml --token-file token',
        'takes both to /etc/sluice',
      ),
  async run(
    { config: config_file, 'dry-run': is_dry, 'token-file': token_file, ...options },
    terminal,
  ) {
    install({ ...options, config_file, is_dry, token_file, terminal })
    return exit_codes.ok
  },
})

interface InstallOptions {
  config_file: string | undefined
  instance: string | undefined
  is_dry: boolean
  prefix: string | undefined
  token_file: string | undefined
  terminal: Terminal
}

interface Site {
  layout: Layout
  builder: Builder
  /** True as root and without --prefix: only then can rights be tried as the service's user. */
  is_real: boolean
  options: InstallOptions
}

/**
 * Installs what systemd needs to run Sluice, and prints each step. Files that are right already
 * stay as they are. An existing configuration is never changed, and an existing token only with
 * --token-file, so a second run changes nothing. Errors: `install.root`, `install.masked`,
 * `install.program`, `install.file`, `install.command`, `unit.path` and those of the configuration.
 */
function install(options: InstallOptions): void {
  const { is_dry, terminal } = options
  const prefix = options.prefix === undefined ? '' : resolve(options.prefix)
  const is_root = process.getuid?.() === 0
  if (!is_dry && prefix === '' && !is_root) throw notRoot('install')
  const layout = layoutOf(options.instance)
  const site: Site = {
    layout,
    options,
    builder: createBuilder({ prefix, is_dry, terminal }),
    is_real: prefix === '' && is_root,
  }
  const place = programPlace()
  const { fault: refusal } = tried(is_dry, () => {
    refuseMasked(site)
    if (prefix === '') refuseHiddenProgram(place)
    if (site.is_real) tryProgram(place)
  })
  const { value: found, fault: config_fault } = tried(is_dry, () => findConfig(site, prefix))
  if (is_dry) terminal.out('nothing is done yet; this would be:')
  const { is_unit_new, next } = laySharedFiles(site)
  let is_restart_due = false
  let token_fault: SluiceError | undefined
  if (config_fault) next.push('correct the configuration, which decides the rest (below)')
  else if (found === undefined) {
    next.push(`write ${layout.config}, and run \`sluice install\` again: the unit is made from it`)
  } else {
    next.push(...layConfig(site, found))
    const is_token_own = readsOwnToken(site, found.token_file)
    const laid = tried(is_dry, () => (is_token_own ? no_token : layToken(site, found.token_file)))
    const token = laid.value ?? no_token
    token_fault = laid.fault
    const { text, advice } = describeUnit(site, found, { ...place, is_token_own })
    const is_drop_in_new = site.builder.lay({ path: layout.drop_in, text, mode: 0o644 })
    is_restart_due = is_unit_new || is_drop_in_new || token.is_new
    next.push(...token.advice, ...advice)
  }
  if (is_restart_due && (hasSystemd() || prefix !== ''))
    site.builder.run('systemctl', 'daemon-reload')
  showNext(terminal, [...next, ...lastWords(site, found, is_restart_due)])
  const fault = refusal ?? config_fault ?? token_fault
  if (fault) throw fault
}

/** No token was written, and nothing about it is to be said. */
const no_token = { is_new: false, advice: [] as string[] }

/** Does work that may refuse. A dry run shows its plan before the fault. */
function tried<Value>(is_dry: boolean, work: () => Value): { value?: Value; fault?: SluiceError } {
  try {
    return { value: work() }
  } catch (error) {
    if (!is_dry || !isSluiceError(error)) throw error
    return { fault: error }
  }
}

/**
 * Refuses a unit that an administrator has masked. Masked units of other instances do not matter.
 */
function refuseMasked({ layout, builder }: Site): void {
  const own_file = `/etc/systemd/system/${layout.unit}`
  const masked = [own_file, own_file.replace(/@.+\.service$/, '@.service')].find((path) =>
    builder.isMasked(path),
  )
  if (masked === undefined) return
  throw new SluiceError({
    code: 'install.masked',
    message: `${masked} is masked (a link to /dev/null): an administrator decided that ${layout.unit} must not run`,
    hint: `if it may: systemctl unmask ${masked.split('/').at(-1)}, and run this again; nothing was changed`,
  })
}

/**
 * Returns the configuration in /etc/sluice, or else the one to copy there. Undefined if there is
 * none: `init` writes one.
 */
function findConfig({ layout, options }: Site, prefix: string): ServiceConfig | undefined {
  const there = prefix === '' ? layout.config : join(prefix, layout.config)
  if (existsSync(there)) return loadForService(there, layout.state_dir)
  if (options.config_file !== undefined)
    return loadForService(options.config_file, layout.state_dir)
  // The usual places would give an instance the folders of another one.
  if (options.instance !== undefined) return undefined
  try {
    return loadForService(undefined, layout.state_dir)
  } catch (error) {
    if (isSluiceError(error, 'config.missing')) return undefined
    throw error
  }
}

/**
 * Installs the units, the user and the kernel settings; the administrator loads the settings.
 * `is_unit_new`: systemd must read its units again.
 */
function laySharedFiles({ layout, builder }: Site): { is_unit_new: boolean; next: string[] } {
  let is_unit_new = false
  const next: string[] = []
  for (const { from, to } of layout.shared) {
    const is_new = builder.lay({ path: to, text: packagedText(from), mode: 0o644 })
    if (to.endsWith('.service')) is_unit_new ||= is_new
    if (from.endsWith('.sysusers') && (is_new || !hasUser(service_user)))
      builder.run('systemd-sysusers', to)
    if (from.endsWith('.tmpfiles') && is_new) builder.run('systemd-tmpfiles', '--create', to)
    if (from.endsWith('.sysctl') && is_new)
      next.push(`sysctl --load ${to}    # more room to watch, without a new boot`)
  }
  return { is_unit_new, next }
}

/**
 * Only root and the service's group may read the configuration. A package is built where this group
 * does not exist, so there everyone may read it: the token is not in it. With an address of a
 * webhook, which is a secret, it stays closed, and the administrator opens it to the group.
 */
function layConfig(
  { layout, builder, is_real, options }: Site,
  { text, config }: ServiceConfig,
): string[] {
  const is_open = options.prefix !== undefined && !holdsAddresses(config)
  const gid = is_real && hasUser(service_user) ? Number(idsOf(service_user).gid) : undefined
  const owner = gid === undefined ? undefined : { uid: 0, gid }
  builder.open(dirname(layout.config))
  builder.lay({ path: layout.config, text, mode: is_open ? 0o644 : 0o640, owner, keep: true })
  if (is_open || options.prefix === undefined) return []
  return [
    `chgrp ${service_user} ${layout.config}    # where it is installed: addresses in it are secrets (url_file)`,
  ]
}

/**
 * True if the service's user owns the configured token file and no token is in the usual place.
 * Then the service reads that file itself, and a new token needs no restart.
 */
function readsOwnToken(
  { layout, builder, is_real, options }: Site,
  configured: string | undefined,
): boolean {
  if (!is_real || configured === undefined || options.token_file !== undefined) return false
  return !builder.exists(layout.token) && isOwnedBy(service_user, configured)
}

/**
 * Writes the token for root alone; without --token-file an existing one stays. systemd passes it to
 * the service as a credential when the service starts.
 */
function layToken({ layout, builder, options }: Site, configured: string | undefined) {
  const named = options.token_file
  if (named === undefined && builder.exists(layout.token)) {
    builder.close(layout.token, 0o600)
    return no_token
  }
  const file = named ?? configured
  if (file === undefined || (named === undefined && !existsSync(file))) {
    return {
      is_new: false,
      advice: [`install -m 600 /dev/stdin ${layout.token}    # paste the token, then Ctrl-D`],
    }
  }
  const { secrets } = openSecrets(
    { service: { base_url: '', project_id: '', token_file: resolve(file) } },
    {},
  )
  return {
    is_new: builder.lay({ path: layout.token, text: `${secrets.token()}\n`, mode: 0o600 }),
    advice: [],
  }
}

/** The text of the drop-in, and what an administrator must do to open its paths to the service. */
function describeUnit(
  { layout, is_real, options }: Site,
  { config }: ServiceConfig,
  place: { node: string; program: string; is_token_own: boolean },
) {
  const needs = unitNeeds(config)
  const may = is_real ? tryAs(service_user) : undefined
  const reach: Reach = may ? reachOf(needs.folders, may) : { missing: [], groups: [], closed: [] }
  const text = dropInOf(config, {
    config_file: layout.config,
    state_dir: layout.state_dir,
    ...place,
    is_refreshing: is_real && isRefreshing(),
    groups: reach.groups,
    mounts: is_real ? mountsOf(needs.folders) : new Map(),
  })
  // A dry run gives no advice on the configuration file: its directory is not opened yet.
  const own = options.is_dry ? [] : [layout.config]
  const advice = [
    ...reach.missing.map((path) => `# the folder ${path} is not there now`),
    ...reach.closed.map(openingAdvice),
    ...(may ? accessAdvice({ ...needs, files: [...own, ...needs.files] }, reach.groups, may) : []),
  ]
  return { text, advice }
}

/**
 * Advice for one directory. A right on a folder has no effect while a directory above it is closed,
 * so that one comes first.
 *
 * @internal
 */
export function openingAdvice({ path, parent }: Closed): string {
  if (parent !== undefined) {
    const why = `it cannot pass there on the way to ${shellWord(path)}; then run \`sluice install\` again`
    return `setfacl -m u:${service_user}:x ${shellWord(parent)}    # ${why}`
  }
  return `setfacl -R -m u:${service_user}:rX,d:u:${service_user}:rX ${shellWord(path)}    # it cannot read there`
}

function accessAdvice(
  { written, files }: { written: readonly string[]; files: readonly string[] },
  groups: readonly string[],
  may: TryAs,
): string[] {
  const who = `-o ${service_user} -g ${service_user}`
  return [
    ...written
      .filter((path) => !may(groups, ['-w', path, '-a', '-x', path]))
      .map((path) => `install -d ${who} -m 750 ${shellWord(path)}    # reports are written there`),
    ...files
      .filter((path) => existsSync(path) && !may(groups, ['-r', path]))
      .map(
        (path) =>
          `chgrp ${service_user} ${shellWord(path)} && chmod 640 ${shellWord(path)}    # it cannot read that file`,
      ),
  ]
}

function lastWords(
  { layout, builder }: Site,
  found: ServiceConfig | undefined,
  is_restart_due: boolean,
): string[] {
  if (!found) return []
  const { unit } = layout
  const is_enabled = builder.exists(`/etc/systemd/system/multi-user.target.wants/${unit}`)
  if (!is_enabled) return [`systemctl enable --now ${unit}`, `systemctl status ${unit}`]
  return is_restart_due ? [`systemctl restart ${unit}`] : []
}

function showNext(terminal: Terminal, lines: readonly string[]): void {
  if (lines.length === 0) return
  terminal.out('\nnext:')
  for (const line of lines) terminal.out(`  ${line}`)
}
