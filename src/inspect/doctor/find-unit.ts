import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../base/errors.ts'
import { readUnitText } from '../unit/unit-text.ts'

/** The unit of systemd that runs this configuration. */
export interface FoundUnit {
  /** `sluice.service`, `sluice@work.service` */
  name: string
  drop_in_file: string
  /** Undefined where there is none, or where it cannot be read. */
  drop_in: string | undefined
  /** The file that LoadCredential=token: names. */
  token_file: string | undefined
}

export const usual_system_dir = '/etc/systemd/system'
/** Which configuration a unit without a drop-in reads (systemd/sluice.service). */
const usual_config = '/etc/sluice/sluice.yaml'

export function findUnit(config_file: string, system_dir = usual_system_dir): FoundUnit | undefined {
  const directories = entriesOf(system_dir).filter((name) => /^sluice(@[^/]+)?\.service\.d$/.test(name))
  for (const directory of directories) {
    const drop_in_file = join(system_dir, directory, '10-config.conf')
    const drop_in = textOf(drop_in_file)
    const words = drop_in === undefined ? [] : (readUnitText(drop_in).get('ExecStart') ?? [])
    if (words[words.indexOf('--config') + 1] !== config_file || !words.includes('--config')) continue
    const name = directory.replace(/\.d$/, '')
    return { name, drop_in_file, drop_in, token_file: tokenFile(name, drop_in, system_dir) }
  }
  if (config_file !== usual_config || !existsSync(join(system_dir, 'sluice.service'))) return undefined
  const name = 'sluice.service'
  const drop_in_file = join(system_dir, `${name}.d`, '10-config.conf')
  return { name, drop_in_file, drop_in: undefined, token_file: tokenFile(name, undefined, system_dir) }
}

function tokenFile(name: string, drop_in: string | undefined, system_dir: string): string | undefined {
  const instance = /^sluice@(.+)\.service$/.exec(name)?.[1] ?? ''
  const unit = textOf(join(system_dir, name.replace(/@.+\.service$/, '@.service')))
  const named = readUnitText(`${unit ?? ''}\n${drop_in ?? ''}`).get('LoadCredential') ?? []
  const token = named.findLast((word) => word.startsWith('token:'))?.slice('token:'.length)
  return token?.replaceAll('%i', instance)
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
