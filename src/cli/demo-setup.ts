import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { writeFileAtomic } from '../base/atomic-file.ts'
import { SluiceError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { configFromObject } from '../config/load.ts'
import { type Secrets, secretsOf } from '../config/secrets.ts'
import { type Service, startService } from '../service/service.ts'
import { makeSample } from './demo-sample.ts'

export interface DemoSetup {
  service: Service
  project_id: string
  token_file: string
  config_file: string
  config: Config
  secrets: Secrets
  /** The sample is ours to write into; a given folder never is. */
  is_sample: boolean
  /** Closes the service and removes everything. */
  close(): Promise<void>
}

/** A service, a project, a token and a folder, all of them in one temporary directory (but for a folder that is given). */
export async function setUpDemo(given: string | undefined): Promise<DemoSetup> {
  const folder = given === undefined ? undefined : folderAt(given)
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-demo-'))
  const remove = () => rmSync(base, { recursive: true, force: true })
  let service: Service | undefined
  try {
    service = await startService({ data_dir: join(base, 'service'), request_log_most: 0 })
    const { project_id } = service.projects.create('demo')
    const { token } = service.tokens.create('demo')
    const token_file = join(base, 'token')
    writeFileAtomic(token_file, `${token}\n`)
    if (folder === undefined) mkdirSync(join(base, 'sample'))
    if (folder === undefined) makeSample(join(base, 'sample'))
    const fields = configFields({ base, folder, base_url: service.api, project_id, token_file })
    const config_file = join(base, 'sluice.yaml')
    // JSON is YAML.
    writeFileAtomic(config_file, `${JSON.stringify(fields, null, 2)}\n`)
    const running = service
    return {
      service,
      project_id,
      token_file,
      config_file,
      // What the user's own environment says is about another service.
      config: configFromObject(fields, {}),
      secrets: secretsOf(token, `file ${token_file}`),
      is_sample: folder === undefined,
      async close() {
        await running.close()
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

interface Places {
  base: string
  folder: string | undefined
  base_url: string
  project_id: string
  token_file: string
}

/** As a user's file would have it; the limits that protect a real service and a real first day are off. */
function configFields({ base, folder, base_url, project_id, token_file }: Places): object {
  const path = folder ?? join(base, 'sample')
  return {
    service: { base_url, project_id, token_file },
    state_dir: join(base, 'state'),
    folders: [{ name: folderName(path), path, settle_ms: folder === undefined ? '200ms' : '1s' }],
    uploads: { brake: 'off', min_resend_s: '0s', concurrency: 16 },
    log: { level: 'error' },
  }
}

/** The name of the directory, as far as a folder of the configuration can be called so. */
function folderName(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64)
  return name === '' ? 'folder' : name
}
