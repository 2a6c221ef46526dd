import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { UsableConfig } from '../../config/resolve/usable.ts'
import { attempt } from '../plan/check-path.ts'
import { unitFit } from '../unit/drop-in.ts'
import { gidOf } from '../unit/unit-facts.ts'
import { readUnitText } from '../unit/unit-text.ts'
import { type Check, findings } from './check.ts'

const usual_system_dir = '/etc/systemd/system'
/** The configuration of a unit without a drop-in (systemd/sluice.service). */
const usual_config = '/etc/sluice/sluice.yaml'

/** Finds the systemd unit that runs this configuration; undefined without one. */
export function findUnit(
  config_file: string,
  system_dir = usual_system_dir,
): FoundUnit | undefined {
  const directories = entriesOf(system_dir).filter((name) =>
    /^sluice(@[^/]+)?\.service\.d$/.test(name),
  )
  for (const directory of directories) {
    const name = directory.replace(/\.d$/, '')
    const drop_in = textOf(dropInFile(system_dir, name))
    const words = drop_in === undefined ? [] : (readUnitText(drop_in).get('ExecStart') ?? [])
    const names_it =
      words.includes('--config') && words[words.indexOf('--config') + 1] === config_file
    if (names_it) return unitOf(name, drop_in, system_dir)
  }
  if (config_file !== usual_config || !existsSync(join(system_dir, 'sluice.service')))
    return undefined
  return unitOf('sluice.service', undefined, system_dir)
}

export type FoundUnit = ReturnType<typeof unitOf>

function unitOf(name: string, drop_in: string | undefined, system_dir: string) {
  const instance = /^sluice@(.+)\.service$/.exec(name)?.[1] ?? ''
  const text = textOf(join(system_dir, name.replace(/@.+\.service$/, '@.service')))
  const settings = readUnitText(`${text ?? ''}\n${drop_in ?? ''}`)
  const wordsOf = (setting: string) =>
    (settings.get(setting) ?? []).map((word) => word.replaceAll('%i', instance))
  const token = wordsOf('LoadCredential').findLast((word) => word.startsWith('token:'))
  const reads_all = wordsOf('AmbientCapabilities').includes('CAP_DAC_READ_SEARCH')
  return {
    /** `sluice.service`, `sluice@work.service` */
    name,
    drop_in_file: dropInFile(system_dir, name),
    /** Undefined if it is missing or unreadable. */
    drop_in,
    /** The file in LoadCredential=token:. */
    token_file: token?.slice('token:'.length),
    /**
     * The user of the service; undefined if none is set, or if it may read all files
     * (CAP_DAC_READ_SEARCH).
     */
    user: reads_all ? undefined : wordsOf('User').at(-1),
    /** Additional groups, by number. */
    gids: wordsOf('SupplementaryGroups').flatMap((group) => gidOf(group) ?? []),
  }
}

function dropInFile(system_dir: string, unit: string): string {
  return join(system_dir, `${unit}.d`, '10-config.conf')
}

function entriesOf(directory: string): string[] {
  return attempt(
    () => readdirSync(directory).sort(),
    () => [],
  )
}

function textOf(file: string): string | undefined {
  return attempt(
    () => readFileSync(file, 'utf8'),
    () => undefined,
  )
}

/** Checks that the unit allows what the configuration needs. Without a unit there is no result. */
export function checkUnit(config: UsableConfig, unit: FoundUnit | undefined): Check[] {
  if (unit === undefined) return []
  const { ok, warning } = findings('unit', unit.name)
  if (config.service === undefined)
    return [warning('not compared: the configuration is not in order')]
  const misfits = misfitsOf({ ...config, service: config.service }, unit)
  return misfits.length > 0
    ? misfits.map((line) => warning(line))
    : [ok('it fits the configuration')]
}

/** Lists rights that the unit lacks or gives without need, each with the remedy. */
export function misfitsOf(config: Config, { drop_in, drop_in_file }: FoundUnit): string[] {
  if (drop_in !== undefined) return unitFit(config, drop_in)
  const cure =
    'run `sluice install`, which makes it from the configuration, and restart the service'
  return [`${drop_in_file} does not exist, so the unit knows neither folders nor reports: ${cure}`]
}
