import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { isSluiceError } from '../../src/base/run/errors.ts'
import { loadConfig } from '../../src/config/load.ts'

tmp.setGracefulCleanup()
const home = tmp.dirSync({ unsafeCleanup: true }).name

/** The faults, without the name of the file. */
export function faultsOf(content: string | Buffer): string[] {
  const file = join(home, 'sluice.yaml')
  writeFileSync(file, content)
  try {
    loadConfig({ file, env: { HOME: home } })
    return []
  } catch (error) {
    if (!isSluiceError(error, 'config.invalid')) throw error
    return error.message.replaceAll(`${file}:`, '').split('\n')
  }
}

export const service = `service:
  base_url: https://assistant.example.com
  project_id: project_0123456789abcdefghij
`
/** Six lines; the folder's fields begin in column 5. */
export const minimal = `${service}folders:
  - name: notes
    path: /none/notes
`
export const prompt = `prompts:
  - name: p
    cron: 0 8 * * 1
    prompt: what is new?
    scope: { folders: [notes] }
`
