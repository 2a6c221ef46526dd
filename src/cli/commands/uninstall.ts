import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isSluiceError } from '../../base/run/errors.ts'
import { unitNeeds } from '../../inspect/unit/drop-in.ts'
import { hasUser } from '../../inspect/unit/unit-facts.ts'
import { defineCommand, flag, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type Builder, createBuilder } from '../install/lay-down.ts'
import {
  hasSystemd,
  type Layout,
  layoutOf,
  loadForService,
  notRoot,
  service_user,
} from '../install/layout.ts'
import { print } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('dry-run', flag('show what would be done, do nothing'))
      .option('instance', text('that of /etc/sluice/NAME.yaml'))
      .option('purge', flag('remove configuration, token and all that is remembered, too'))
      .option('prefix', text('what lies below this directory; runs nothing'))
      .example('sudo $0 uninstall', 'the unit goes; configuration, token and state stay'),
  async run({ 'dry-run': is_dry, ...options }, terminal) {
    uninstall({ ...options, is_dry, terminal })
    return exit_codes.ok
  },
})

const system_dir = '/etc/systemd/system'
const wants_dir = `${system_dir}/multi-user.target.wants`

interface Options {
  instance: string | undefined
  purge: boolean
  is_dry: boolean
  prefix: string | undefined
  terminal: Terminal
}

/**
 * Stops the service and removes its unit. Configuration, token and state stay unless `purge` is
 * given. The files that instances share go with the last instance. Errors: `install.root`,
 * `install.file`, `install.command`.
 */
function uninstall(options: Options): void {
  const { instance, is_dry, terminal } = options
  const prefix = options.prefix === undefined ? '' : resolve(options.prefix)
  if (!is_dry && prefix === '' && process.getuid?.() !== 0) throw notRoot('uninstall')
  const layout = layoutOf(instance)
  const builder = createBuilder({ prefix, is_dry, terminal })
  const others = otherInstances(prefix, layout.unit)
  const kept = [layout.config, layout.token, layout.state_dir].filter((path) =>
    builder.exists(path),
  )
  const is_there = [layout.drop_in, ...unitPaths(layout, others)].some((path) =>
    builder.exists(path),
  )
  const is_user_left =
    options.purge && others.length === 0 && prefix === '' && hasUser(service_user)
  if (!is_there && kept.length === 0 && !is_user_left) {
    terminal.out(
      instance === undefined ? 'nothing is installed' : `nothing is installed as ${layout.unit}`,
    )
    return
  }
  const site = { layout, builder, others, prefix, options }
  if (is_there) removeUnit(site)
  if (options.purge) purge(site)
  else if (kept.length > 0) print(terminal, `left     ${kept.join(', ')}  (--purge removes them)`)
}

interface Site {
  layout: Layout
  builder: Builder
  /** Other installed units, which need the shared files. */
  others: readonly string[]
  prefix: string
  options: Options
}

/**
 * Signs of a unit without a drop-in: it is enabled, or shared files exist that only it would use.
 */
function unitPaths({ unit, shared }: Layout, others: readonly string[]): string[] {
  const enabled = `${wants_dir}/${unit}`
  return others.length > 0
    ? [enabled]
    : [enabled, `${system_dir}/${unit}`, ...shared.map(({ to }) => to)]
}

function removeUnit({ layout, builder, others, prefix, options }: Site): void {
  const { unit, drop_in, shared } = layout
  const { terminal } = options
  const has_systemd = hasSystemd() || prefix !== ''
  const own_file = `${system_dir}/${unit}`
  const is_masked = builder.isMasked(own_file)
  // systemctl fails for a unit without a file. A masked unit may still run, and the administrator
  // enables or disables it.
  if (
    ![own_file, own_file.replace(/@.+\.service$/, '@.service')].some((path) => builder.exists(path))
  ) {
    builder.remove(`${wants_dir}/${unit}`)
  } else if (has_systemd)
    builder.run('systemctl', ...(is_masked ? ['stop'] : ['disable', '--now']), unit)
  if (prefix === '' && hasSystemd() && hasFailed(unit))
    builder.run('systemctl', 'reset-failed', unit)
  let is_changed = builder.remove(drop_in)
  builder.removeEmpty(dirname(drop_in))
  for (const path of othersBeside(drop_in, prefix))
    terminal.out(`left     ${path}  (yours to remove)`)
  if (others.length === 0) {
    for (const { to } of shared) {
      if (builder.remove(to)) is_changed = true
    }
  } else {
    print(
      terminal,
      `kept     what ${others.join(', ')} ${others.length === 1 ? 'uses' : 'use'}, too`,
    )
  }
  const is_said = others.length === 0 && shared.some(({ to }) => to === own_file)
  if (is_masked && !is_said) builder.remove(own_file)
  if (is_changed && has_systemd) builder.run('systemctl', 'daemon-reload')
}

function purge({ layout, builder, others, prefix, options }: Site): void {
  const { config, token, state_dir } = layout
  const is_state_removed = options.instance !== undefined || others.length === 0
  const left = [...namedElsewhere(layout, prefix), ...(is_state_removed ? [] : [state_dir])]
  for (const path of [config, token]) builder.remove(path)
  if (is_state_removed) {
    for (const path of [state_dir, privateState(state_dir)]) builder.removeTree(path)
  }
  const there = left.filter((path) => builder.exists(path))
  if (there.length > 0) print(options.terminal, `left     ${there.join(', ')}  (yours to remove)`)
  if (others.length > 0) return
  builder.removeEmpty('/etc/sluice')
  if (hasUser(service_user)) builder.run('userdel', service_user)
}

/** True if the unit has failed. systemd shows that until a boot, even with its files gone. */
function hasFailed(unit: string): boolean {
  return spawnSync('systemctl', ['is-failed', '--quiet', unit]).status === 0
}

/** With DynamicUser= the state lies here, and state_dir is a link to it (systemd.exec(5)). */
function privateState(state_dir: string): string {
  return state_dir.replace('/var/lib/', '/var/lib/private/')
}

/** Other drop-ins of the unit, which an administrator made. */
function othersBeside(drop_in: string, prefix: string): string[] {
  return namesIn(join(prefix, dirname(drop_in)))
    .map((name) => join(dirname(drop_in), name))
    .filter((path) => path !== drop_in)
}

/**
 * Paths that the configuration names elsewhere: secrets, reports, and a state directory of its own.
 */
function namedElsewhere({ config, token, state_dir }: Layout, prefix: string): string[] {
  try {
    const { config: found, token_file } = loadForService(join(prefix, config), state_dir)
    const needs = unitNeeds(found)
    const credentials = needs.credentials
      .filter((name) => name !== 'token')
      .map((name) => `/etc/sluice/${name}`)
    const tokens = token_file === undefined || token_file === token ? [] : [token_file]
    const others = found.state_dir === state_dir ? [] : [found.state_dir]
    return [...credentials, ...tokens, ...needs.files, ...needs.written, ...others]
  } catch (error) {
    // A configuration that is faulty or gone must not keep anything from being removed.
    if (isSluiceError(error)) return []
    throw error
  }
}

/** Names of other installed units, known by their drop-ins or by being enabled. */
function otherInstances(prefix: string, unit: string): string[] {
  const names = [
    ...namesIn(join(prefix, system_dir))
      .filter((name) => name.endsWith('.service.d'))
      .map((name) => name.slice(0, -2)),
    ...namesIn(join(prefix, wants_dir)),
  ].filter((name) => /^sluice(@.+)?\.service$/.test(name) && name !== unit)
  return [...new Set(names)].sort()
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}
