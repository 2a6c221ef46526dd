import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../look-at.ts'
import { gidOf } from '../unit/unit-facts.ts'
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
  /**
   * The user that it runs as; undefined where it names none, or may read every file
   * (CAP_DAC_READ_SEARCH).
   */
  user: string | undefined
  /** Groups besides those of the user, by number. */
  gids: string[]
}

const usual_system_dir = '/etc/systemd/system'
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
    return { name, drop_in_file, drop_in, ...settingsOf(name, drop_in, system_dir) }
  }
  if (config_file !== usual_config || !existsSync(join(system_dir, 'sluice.service'))) return undefined
  const name = 'sluice.service'
  const drop_in_file = join(system_dir, `${name}.d`, '10-config.conf')
  return { name, drop_in_file, drop_in: undefined, ...settingsOf(name, undefined, system_dir) }
}

function settingsOf(
  name: string,
  drop_in: string | undefined,
  system_dir: string,
): Pick<FoundUnit, 'token_file' | 'user' | 'gids'> {
  const instance = /^sluice@(.+)\.service$/.exec(name)?.[1] ?? ''
  const text = textOf(join(system_dir, name.replace(/@.+\.service$/, '@.service')))
  const settings = readUnitText(`${text ?? ''}\n${drop_in ?? ''}`)
  const wordsOf = (setting: string) => (settings.get(setting) ?? []).map((word) => word.replaceAll('%i', instance))
  const token = wordsOf('LoadCredential').findLast((word) => word.startsWith('token:'))
  const reads_all = wordsOf('AmbientCapabilities').includes('CAP_DAC_READ_SEARCH')
  return {
    token_file: token?.slice('token:'.length),
    user: reads_all ? undefined : wordsOf('User').at(-1),
    gids: wordsOf('SupplementaryGroups').flatMap((group) => gidOf(group) ?? []),
  }
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
