import { join, resolve } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { isBelow } from '../../base/files/path-below.ts'
import { direct_paths } from '../../base/files/paths.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import { readEnvironment } from '../../config/environment.ts'
import { findFile, readText } from '../../config/load.ts'
import type { Service } from '../../service/service.ts'
import { printNext } from './next-steps.ts'
import type { Terminal } from './terminal.ts'

interface Serving {
  'data-dir': string
  'assistant-config': string | undefined
}

const first_project = 'Files'
/** The name of the token in the file. */
const first_token = 'first'

/**
 * Says at a terminal where the local service is, who answers, and what to type next. In a new data
 * folder it makes a project and a token, without which `sluice init` could choose none.
 */
export function sayServing(
  service: Service,
  { 'data-dir': data_dir, 'assistant-config': assistant_config }: Serving,
  terminal: Terminal,
): void {
  const token_file = join(resolve(data_dir), 'token')
  const is_new = service.projects.list().length === 0 && service.tokens.list().length === 0
  if (is_new) {
    service.projects.create(first_project)
    writeFileAtomic(token_file, `${service.tokens.create(first_token).token}\n`, 0o600)
  }
  const quotes = 'quoted passages; --assistant-config FILE connects a model (docs/service.md)'
  // Clients use the public address, if there is one.
  const address = service.members.address() ?? service.api
  terminal.out('The local service runs until Ctrl-C.')
  terminal.out(`  address  ${address}`)
  terminal.out(`  data     ${resolve(data_dir)}`)
  terminal.out(`  answers  ${assistant_config ?? quotes}`)
  if (is_new) terminal.out(`  made     the project ${first_project}, and a token in ${token_file}`)
  const config = configNaming(address)
  if (config !== undefined) {
    const why = `in another terminal: uploads as ${config} says, and watches until Ctrl-C`
    printNext(terminal, [['sluice run', why]], undefined)
    return
  }
  const has_token = service.tokens.list().some(({ name }) => name === first_token)
  const token = has_token ? ` --token-file ${fromHome(token_file)}` : ''
  const asks_too = has_token ? '' : ' a token (`sluice serve token create NAME`) and'
  const why = `in another terminal: asks for${asks_too} your folders, and writes a configuration`
  printNext(terminal, [[`sluice init --base-url ${address}${token}`, why]], undefined)
}

/** The configuration that Sluice finds here, if it names this service already. */
function configNaming(address: string): string | undefined {
  try {
    const environment = readEnvironment()
    const { file } = findFile(environment.config_file, environment, direct_paths)
    return readText(file, direct_paths).includes(address) ? file : undefined
  } catch (error) {
    // Without a configuration that can be read, the next step is to write one.
    if (isSluiceError(error)) return undefined
    throw error
  }
}

/** As short as a user writes it; the shell replaces `~`. */
function fromHome(path: string): string {
  const { home } = readEnvironment()
  return isBelow(path, home) ? `~${shellWord(path.slice(home.length))}` : shellWord(path)
}
