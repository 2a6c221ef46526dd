import { isUtf8 } from 'node:buffer'
import {
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../base/atomic-file.ts'
import { SluiceError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { configFromObject } from '../config/load.ts'
import { type Secrets, secretsOf } from '../config/secrets.ts'
import type { Ignored, IgnoreRules } from '../disk/ignore.ts'
import { type Service, startService } from '../service/service.ts'

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

/**
 * A small folder as an office has it: some texts, a copy, and what must not go up.
 *
 * @internal
 */
export function makeSample(folder: string): void {
  const write = (path: string, content: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  write('README.md', '# Harbour office\n\nThe papers of a small harbour. Opening hours: 8 to 17, Monday to Friday.\n')
  write(
    'minutes/2026-09.md',
    '# Minutes, September\n\nThe crane of the east quay is out of service until the spring.\n',
  )
  write('minutes/2026-10.md', '# Minutes, October\n\nThe ferry to the islands sails twice a day in winter.\n')
  copyFileSync(join(folder, 'minutes/2026-10.md'), join(folder, 'minutes/copy of 2026-10.md'))
  write('berths/berths.csv', `berth,length_m,depth_m\n${berthRows()}`)
  write('berths/fees.json', `${JSON.stringify({ currency: 'EUR', per_metre_and_night: 2.4, minimum: 15 }, null, 2)}\n`)
  write('web/index.html', '<!doctype html><title>Harbour</title><h1>Guests</h1><p>Guests moor at the west quay.</p>\n')
  write('web/deep/down/below/rules.txt', 'No swimming between the quays.\n')
  write('log/arrivals.txt', arrivals())
  write('notes/empty.txt', '')
  write('~$minutes.docx', 'who has the document open')
}

function berthRows(): string {
  return Array.from({ length: 40 }, (_, at) => `B${at + 1},${8 + (at % 7)},${2 + (at % 3)}\n`).join('')
}

/** Some 4 MB of text: streamed from the disk, not held in memory. */
function arrivals(): string {
  return Array.from(
    { length: 70_000 },
    (_, at) => `Ship number ${at + 1} came in, berth B${(at % 40) + 1}, in order.\n`,
  ).join('')
}

/** Comes while the daemon is at work, and holds the answer to the question. */
export const late_file = {
  path: 'minutes/2026-11.md',
  content:
    '# Minutes, November\n\nThe lantern festival begins on the 12th of December at 18:30 on the west quay.\n' +
    'The harbour master brings the lanterns.\n',
}

export const late_question = 'When does the lantern festival begin?'

/** What lies in a folder, counted apart from the daemon: the number that all others must add up to. */
export interface DiskCount {
  /** Regular files, as `find -xdev -type f` counts them. */
  files: number
  /** How many of them each rule keeps out; a directory's rule counts for all files below it. */
  ignored: { rule: Ignored; files: number; example: string }[]
  ignored_files: number
  /** Their names are not UTF-8: they cannot be named to a service. */
  odd_names: number
  unreadable_directories: number
}

export function countOnDisk(root: string, rules: IgnoreRules): DiskCount {
  const count: DiskCount = { files: 0, ignored: [], ignored_files: 0, odd_names: 0, unreadable_directories: 0 }
  const by_rule = new Map<string, DiskCount['ignored'][number]>()
  const device = lstatSync(`${root}/.`).dev

  function ignore(rule: Ignored, example: string): void {
    const key = `${rule.source}\n${rule.rule}`
    const group = by_rule.get(key) ?? { rule, files: 0, example }
    by_rule.set(key, group)
    group.files++
    count.ignored_files++
  }

  /** `path` as Linux has it, one character a byte; `rule`: a directory above is ignored; `odd`: has a name that is not UTF-8. */
  function walk(path: string, above: { rule?: Ignored; odd: boolean }): void {
    for (const entry of entriesOf(root, path, count)) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      const odd = above.odd || !isUtf8(Buffer.from(entry.name, 'latin1'))
      const kind = entry.isDirectory() ? 'directory' : 'file'
      if (kind === 'file' && !entry.isFile()) continue
      const name = Buffer.from(inner, 'latin1').toString('utf8')
      const verdict = above.rule ?? (odd ? undefined : ignoredBy(rules, name, kind))
      if (kind === 'directory') {
        if (lstatSync(onDisk(root, inner)).dev === device) walk(inner, { odd, ...(verdict ? { rule: verdict } : {}) })
        continue
      }
      count.files++
      if (verdict) ignore(verdict, name)
      else if (odd) count.odd_names++
    }
  }

  walk('', { odd: false })
  count.ignored = [...by_rule.values()].sort((a, b) => b.files - a.files)
  return count
}

function ignoredBy(rules: IgnoreRules, path: string, kind: 'file' | 'directory'): Ignored | undefined {
  const verdict = rules.verdict(path, kind)
  return verdict.ignored ? verdict : undefined
}

function entriesOf(root: string, path: string, count: DiskCount): Dirent[] {
  try {
    return readdirSync(onDisk(root, path), { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // find(1) says so and goes on; so does this.
    count.unreadable_directories++
    return []
  }
}

/** The root is text, what is below it bytes. */
function onDisk(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}
