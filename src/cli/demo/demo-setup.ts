import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { type Service, startService } from '../../service/service.ts'
import { freePort } from '../free-port.ts'
import { nameFor } from '../init/init-flags.ts'

/** A process of the demo that was just killed may still write a file. */
const max_removal_tries = 5

export interface DemoSetup {
  service: Service
  project_id: string
  token_file: string
  config_file: string
  state_dir: string
  folder: { name: string; path: string }
  /** True for the sample, into which the demo may write. A given folder is only read. */
  is_sample: boolean
  /** Closes the service and removes the temporary directory, never a given folder. */
  close(): Promise<void>
}

/**
 * Makes a service, a project, a token and a sample folder in one temporary directory. A given
 * folder stays where it is. `page`: whether the daemon serves one.
 */
export async function setUpDemo(
  given: string | undefined,
  { page }: { page: boolean },
): Promise<DemoSetup> {
  const given_path = given === undefined ? undefined : folderAt(given)
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-demo-'))
  const remove = () => rmSync(base, { recursive: true, force: true, maxRetries: max_removal_tries })
  // The reader of the output may end first (`demo | head`), which ends the process at once.
  process.once('exit', remove)
  let service: Service | undefined
  try {
    service = await startService({ data_dir: join(base, 'service'), max_logged_requests: 0 })
    const { project_id } = service.projects.create('demo')
    const { token } = service.tokens.create('demo')
    const token_file = join(base, 'token')
    writeFileAtomic(token_file, `${token}\n`)
    const path = given_path ?? join(base, 'sample')
    if (given_path === undefined) makeSample(path)
    const folder = { name: nameFor(path), path }
    const state_dir = join(base, 'state')
    const config_file = join(base, 'sluice.yaml')
    // A configuration as a user would write it, without the limits that protect a real service.
    // JSON is valid YAML.
    const config = {
      service: { base_url: service.api, project_id, token_file },
      state_dir,
      folders: [{ ...folder, settle_ms: given_path === undefined ? '200ms' : '1s' }],
      uploads: { limit: 'off', min_resend_s: '0s', concurrency: 16 },
      log: { level: 'error' },
      ...(page && { page: { listen: `127.0.0.1:${await freePort()}` } }),
    }
    writeFileAtomic(config_file, `${JSON.stringify(config, null, 2)}\n`)
    const running = service
    return {
      service,
      project_id,
      token_file,
      config_file,
      state_dir,
      folder,
      is_sample: given_path === undefined,
      async close() {
        await running.close()
        process.off('exit', remove)
        remove()
      },
    }
  } catch (error) {
    await service?.close()
    remove()
    throw error
  }
}

function folderAt(given: string): string {
  const path = resolve(given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path)
  throw new SluiceError({
    code: 'usage.folder',
    message: `${given} is not a folder`,
    hint: 'name a folder to try it with, or none for a small sample',
  })
}

/** A small folder as an office has it: some texts, a copy, and what must not be uploaded. */
function makeSample(folder: string): void {
  const write = (path: string, content: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  write(
    'README.md',
    '# Harbour office\n\nThe papers of a small harbour. Opening hours: 8 to 17, Monday to Friday.\n',
  )
  write(
    'minutes/2026-09.md',
    '# Minutes, September\n\nThe crane of the east quay is out of service until the spring.\n',
  )
  write(
    'minutes/2026-10.md',
    '# Minutes, October\n\nThe ferry to the islands sails twice a day in winter.\n',
  )
  copyFileSync(join(folder, 'minutes/2026-10.md'), join(folder, 'minutes/copy of 2026-10.md'))
  write('berths/berths.csv', `berth,length_m,depth_m\n${berthRows()}`)
  write(
    'berths/fees.json',
    `${JSON.stringify({ currency: 'EUR', per_metre_and_night: 2.4, minimum: 15 }, null, 2)}\n`,
  )
  write(
    'web/index.html',
    '<!doctype html><title>Harbour</title><h1>Guests</h1><p>Guests moor at the west quay.</p>\n',
  )
  write('web/deep/down/below/rules.txt', 'No swimming between the quays.\n')
  write('log/arrivals.txt', arrivals())
  write('notes/empty.txt', '')
  write('~$minutes.docx', 'who has the document open')
}

function berthRows(): string {
  return Array.from({ length: 40 }, (_, at) => `B${at + 1},${8 + (at % 7)},${2 + (at % 3)}\n`).join(
    '',
  )
}

/** About 4 MB of text, which Sluice streams from the disk instead of holding it in memory. */
function arrivals(): string {
  return Array.from(
    { length: 70_000 },
    (_, at) => `Ship number ${at + 1} came in, berth B${(at % 40) + 1}, in order.\n`,
  ).join('')
}

/** A file that comes while the daemon runs. It holds the answer to `late_question`. */
export const late_file = {
  path: 'minutes/2026-11.md',
  content:
    '# Minutes, November\n\nThe lantern festival begins on the 12th of December at 18:30 on the west quay.\n' +
    'The harbour master brings the lanterns.\n',
}

export const late_question = 'When does the lantern festival begin?'
