import { readFileSync } from 'node:fs'
import { SluiceError } from '../../base/errors.ts'
import { isBelow } from '../../base/path-below.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { unitNeeds } from '../../inspect/unit/unit-needs.ts'

/** Stands for the home of the service's user, so that what was written with `~` can be told from the rest. */
const strange_home = '/~'

export interface ServiceConfig {
  config: Config
  text: string
  /** The file it was read from. */
  file: string
  /** As the one who installs has it; the service gets a copy as its credential. */
  token_file: string | undefined
}

/** A configuration as the service will see it. Errors: those of `loadConfig`, and `config.home` for paths that depend on who reads them. */
export function loadForService(file: string | undefined, state_dir: string): ServiceConfig {
  const mine = loadConfig({ file })
  const { config } = loadConfig({ file: mine.file, env: { HOME: strange_home, STATE_DIRECTORY: state_dir } })
  const { folders, written, files } = unitNeeds(config)
  const homely = [...folders, ...written, ...files, config.state_dir].filter((path) => isBelow(path, strange_home))
  if (homely.length > 0) {
    throw new SluiceError({
      code: 'config.home',
      message: `${mine.file} names ${homely.map((path) => `~${path.slice(strange_home.length)}`).join(', ')}: "~" is another home to the service`,
      hint: 'write these paths out, from / on',
    })
  }
  return { config, file: mine.file, text: readFileSync(mine.file, 'utf8'), token_file: mine.config.service.token_file }
}
