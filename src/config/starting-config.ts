import { stringify } from 'yaml'
import { printable } from '../base/text/format.ts'
import { parseDuration_ms } from './schema/units.ts'
import { parseYaml } from './yaml-source.ts'

/** Answers of a user from which `init` makes a configuration. All other fields get defaults. */
export interface StartingConfig {
  base_url: string
  project: { project_id: string; name?: string | undefined }
  /** Absolute. */
  token_file: string
  /** Absolute path of certificates that are trusted besides the usual ones. */
  ca_file?: string | undefined
  /** Treatment of old versions of changed files, for every folder. */
  old_versions: OldVersions
  folders: readonly StartingFolder[]
  /** The address of the page; undefined: it is off. */
  page?: string | undefined
  prompt?: StartingPrompt | undefined
  /** True if the service reads every file and says so. */
  reads_every_file: boolean
}

export interface StartingPrompt {
  name: string
  prompt: string
  cron: string
  /** The schedule as the user wrote it. */
  when: string
}

/** Values of `on_change`. */
export const old_versions = ['keep', 'remove_old'] as const
export type OldVersions = (typeof old_versions)[number]

export interface StartingFolder {
  name: string
  /** Absolute, or begins with ~/. */
  path: string
  start: StartText
}

/** `all`, `from_now`, or an age such as `90d`. */
export type StartText = string

export function isStartText(text: string): boolean {
  return text === 'all' || text === 'from_now' || parseDuration_ms(text) >= 0
}

/** The content of the file, to check before it is written. */
export function startingValue(config: StartingConfig): unknown {
  return parseYaml(startingText(config)).value
}

/** Returns the text of the file, with a reason for every value. */
export function startingText(config: StartingConfig): string {
  const { base_url, project, token_file, ca_file, folders } = config
  const named = project.name === undefined ? '' : ` Here: ${printable(project.name)}.`
  return `# Configuration of Sluice, written by \`sluice init\`. docs/config.md describes every field. config/sluice.example.yaml shows all
# fields with their defaults. \`sluice config\` prints the settings in force. After a change run \`sluice reload\`.

service:
  # The address of the assistant's service. Sluice sends the token only there.
  base_url: ${scalar(base_url)}

  # The id of the project that files are uploaded to. It stays the same when the project is renamed.${named}
  project_id: ${scalar(project.project_id)}

  # The token is in another file (mode 600), so this file contains no secret.
  token_file: ${scalar(token_file)}
${ca_file === undefined ? '' : caText(ca_file)}
folders:
${folders.map((folder) => folderText(folder, config.old_versions)).join('\n')}
# Sluice uploads up to 100,000 new files or 100 GB in 24 hours. More files wait for \`sluice accept\`, so that a disk that is
# mounted in the wrong place is not uploaded in one night. To change this limit:
#uploads:
#  limit: { files: 100000, bytes: 100GB }
${config.page === undefined ? '' : pageText(config.page)}${config.prompt === undefined ? '' : promptText(config.prompt, config)}`
}

function pageText(listen: string): string {
  return `
# A page with files, reports and problems. \`sluice page\` prints a link that opens it.
page:
  # Browsers on this machine reach it; docs/page.md says how to open it to others.
  listen: ${scalar(listen)}
`
}

function promptText(
  { name, prompt, cron, when }: StartingPrompt,
  { folders, reads_every_file }: Pick<StartingConfig, 'folders' | 'reads_every_file'>,
): string {
  return `
# Questions that Sluice asks on a schedule. Reports are in reports/ in the state directory; docs/prompts.md says how to
# deliver them by mail, to a chat or into a directory.
prompts:
  - name: ${scalar(name)}
    # ${printable(when)}, in the time zone of this machine: minute, hour, day of month, month, day of week.
    cron: ${scalar(cron)}

    # The question. Sluice fills in {{folders}}, {{since}}, {{count}} and {{files}}.
    prompt: ${scalar(prompt)}

    # The first report is about all files that are ready by then, later ones about those that came since.
    first_run: all
${reads_every_file ? '' : batchesText}
    # The folders of this project.
    scope: { folders: [${folders.map((folder) => scalar(folder.name)).join(', ')}] }
`
}

const batchesText = `
    # This service does not say which files it read, so each question is about few of them, and a last one sums up.
    max_assets: 20
    when_too_many: more_turns
`

function caText(ca_file: string): string {
  return `
  # Certificates (PEM) of an authority that Sluice trusts besides the usual ones: that of the service, or of a proxy before it.
  ca_file: ${scalar(ca_file)}
`
}

function folderText({ name, path, start }: StartingFolder, on_change: OldVersions): string {
  return `  # The name in status and at the beginning of names on the service. Do not change it later: a new name makes a new folder.
  - name: ${scalar(name)}
    path: ${scalar(path)}

    # ${startReason(start)}
    start: ${parseDuration_ms(start) >= 0 ? `{ newer_than: ${scalar(start)} }` : scalar(start)}

    # ${oldVersionsReason(on_change)}
    on_change: ${on_change}

    # Files that are not uploaded, besides temporary files, caches and secrets: patterns as in .gitignore.
    #exclude: []
`
}

function oldVersionsReason(on_change: OldVersions): string {
  if (on_change === 'keep')
    return 'The old version of a file that changes stays in the project and is used for answers (remove_old removes it).'
  return 'The old version of a file that changes is removed from the project once the new one is ready there.'
}

function startReason(start: StartText): string {
  if (start === 'all') return 'All files of the first scan are uploaded, so no file is missing.'
  if (start === 'from_now')
    return 'No file of the first scan is uploaded, only files that arrive or change later.'
  return `Files of the first scan are uploaded if they changed in the last ${start}. All later files are.`
}

/** A YAML scalar on one line, quoted if YAML would read it as another type. */
function scalar(text: string): string {
  // A plain scalar cannot hold a line break.
  const defaultStringType = printable(text) === text ? 'PLAIN' : 'QUOTE_DOUBLE'
  return stringify(text, { lineWidth: 0, defaultStringType, doubleQuotedAsJSON: true }).trimEnd()
}
