import { stringify } from 'yaml'
import { printable } from '../base/text/format.ts'
import { duration_pattern } from './schema/units.ts'
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
  return text === 'all' || text === 'from_now' || duration_pattern.test(text)
}

/** The content of the file, to check before it is written. */
export function startingValue(config: StartingConfig): unknown {
  return parseYaml(startingText(config)).value
}

/** Returns the text of the file, with a reason for every value. */
export function startingText(config: StartingConfig): string {
  const { base_url, project, token_file, ca_file, folders } = config
  const named = project.name === undefined ? '' : ` Here: ${printable(project.name)}.`
  return `# Sluice's configuration, as \`sluice init\` wrote it. docs/config.md describes every field, config/sluice.example.yaml shows
# all of them with their defaults, and \`sluice config\` prints what is in force. A running daemon takes a change by
# \`sluice reload\`.

service:
  # The address of the assistant's service: the token goes there and nowhere else.
  base_url: ${scalar(base_url)}

  # The project that the files go to, by its id, which stays when the project is renamed.${named}
  project_id: ${scalar(project.project_id)}

  # The token stands in a file of its own (mode 600), so that this file may be read by everybody.
  token_file: ${scalar(token_file)}
${ca_file === undefined ? '' : caText(ca_file)}
folders:
${folders.map((folder) => folderText(folder, config.old_versions)).join('\n')}
# What is uploaded by itself: up to 100,000 new files or 100 GB in 24 hours; more waits for \`sluice accept\`, so that a disk
# mounted in the wrong place is not uploaded in one night. To change it:
#uploads:
#  limit: { files: 100000, bytes: 100GB }
`
}

function caText(ca_file: string): string {
  return `
  # Certificates (PEM) of an authority that is trusted besides the usual ones: here that of the service, or of a proxy before it.
  ca_file: ${scalar(ca_file)}
`
}

function folderText({ name, path, start }: StartingFolder, on_change: OldVersions): string {
  return `  # The name stands in status and at the head of the names sent. What is known of the files hangs on it: keep it.
  - name: ${scalar(name)}
    path: ${scalar(path)}

    # ${startReason(start)}
    start: ${duration_pattern.test(start) ? `{ newer_than: ${scalar(start)} }` : scalar(start)}

    # ${oldVersionsReason(on_change)}
    on_change: ${on_change}

    # What is left out, beside temporary files, caches and secrets: patterns as in .gitignore.
    #exclude: []
`
}

function oldVersionsReason(on_change: OldVersions): string {
  if (on_change === 'keep')
    return 'The old version of a file that changes stays in the project and answers (remove_old takes it out).'
  return 'The old version of a file that changes is taken out of the project once the new one is ready there.'
}

function startReason(start: StartText): string {
  if (start === 'all') return 'Everything that is there already is uploaded, so no file is missing.'
  if (start === 'from_now') return 'Nothing that the first scan finds is uploaded, only what comes or changes later.'
  return `Of the files that the first scan finds, those changed in the last ${start} are uploaded; later, everything new.`
}

/** A YAML scalar on one line, quoted if YAML would read it as another type. */
function scalar(text: string): string {
  // A plain scalar cannot hold a line break.
  const defaultStringType = printable(text) === text ? 'PLAIN' : 'QUOTE_DOUBLE'
  return stringify(text, { lineWidth: 0, defaultStringType, doubleQuotedAsJSON: true }).trimEnd()
}
