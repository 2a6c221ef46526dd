import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hasUser } from '../../inspect/unit/unit-facts.ts'
import type { Terminal } from '../terminal.ts'
import { hasSystemd, notRoot } from './install.ts'
import { createBuilder } from './lay-down.ts'
import { layoutOf, service_user } from './layout.ts'

/**
 * Stops the service and takes away its unit. Configuration, token and state stay unless `purge` is given; what instances share
 * goes with the last of them. Errors: `install.root`, `install.file`, `install.command`.
 */
export function uninstall(options: {
  instance: string | undefined
  purge: boolean
  is_dry: boolean
  prefix: string | undefined
  terminal: Terminal
}): void {
  const { instance, purge, is_dry, terminal } = options
  const prefix = options.prefix === undefined ? '' : resolve(options.prefix)
  if (!is_dry && prefix === '' && process.getuid?.() !== 0) throw notRoot('uninstall')
  const { unit, config, token, state_dir, drop_in, shared } = layoutOf(instance)
  const builder = createBuilder({ prefix, is_dry, terminal })
  const is_there = builder.exists(drop_in)
  if (is_there && hasSystemd()) builder.run('systemctl', 'disable', '--now', unit)
  let is_changed = builder.remove(drop_in)
  builder.removeEmpty(dirname(drop_in))
  const others = otherInstances(join(prefix, '/etc/systemd/system'), unit)
  if (others.length === 0) {
    for (const { to } of shared) if (builder.remove(to)) is_changed = true
  } else {
    terminal.out(`kept     what ${others.join(', ')} ${others.length === 1 ? 'uses' : 'use'}, too`)
  }
  if (is_changed && (hasSystemd() || prefix !== '')) builder.run('systemctl', 'daemon-reload')
  if (!purge) {
    const left = [config, token, state_dir].filter((path) => builder.exists(path))
    if (left.length > 0) terminal.out(`left     ${left.join(', ')}  (--purge removes them)`)
    return
  }
  for (const path of [config, token]) builder.remove(path)
  if (instance !== undefined || others.length === 0) builder.removeTree(state_dir)
  if (others.length > 0) return
  builder.removeEmpty('/etc/sluice')
  if (hasUser(service_user)) builder.run('userdel', service_user)
}

function otherInstances(directory: string, unit: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => /^sluice(@.+)?\.service\.d$/.test(name) && name !== `${unit}.d`)
    .map((name) => name.slice(0, -2))
}
