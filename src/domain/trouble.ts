import { refused_fact } from './fact.ts'

/** The part that a call outside of uploads decides about, and nothing else. */
export type Feature = 'labels' | 'questions' | 'audit'

/**
 * What a trouble is about. Of a project, all calls may rest (`project:`), its uploads alone
 * (`uploads:`), or one feature alone.
 */
export type About =
  | 'account'
  | 'api'
  | 'blob'
  | 'uploads'
  | `project:${string}`
  | `uploads:${string}`
  | `${Feature}:${string}`

/** The project of a trouble; undefined if it is about more. */
export function projectIn(about: string): string | undefined {
  return /^(?:project|uploads|labels|questions|audit):(.*)$/.exec(about)?.[1]
}

/**
 * True if a trouble concerns files of these projects, or one of these things whose facts were
 * refused. A trouble about more concerns every file.
 */
export function isAboutOneOf(
  about: string,
  project_ids: readonly string[],
  things: readonly string[],
): boolean {
  if (about.startsWith(refused_fact)) return things.includes(about.slice(refused_fact.length))
  const project = projectIn(about)
  return project === undefined || project_ids.includes(project)
}

/**
 * True if the ledger refused a fact of this folder or of a file in it: it does not know all its
 * files as they are.
 */
export function isUnrecorded(folder: string, { about }: { about: string }): boolean {
  const thing = about.startsWith(refused_fact) ? about.slice(refused_fact.length) : ''
  return thing === folder || thing.startsWith(`${folder}/`)
}

/** True if a trouble may hold up the uploads of a project, or one of these things. */
export function holdsUploads(about: string, project_id: string, things: readonly string[]) {
  return featureIn(about) === undefined && isAboutOneOf(about, [project_id], things)
}

/** The feature of a trouble; undefined if it is about more. */
export function featureIn(about: string): Feature | undefined {
  return /^(labels|questions|audit):/.exec(about)?.[1] as Feature | undefined
}

const subjects: Readonly<Record<string, string>> = {
  account: 'the token',
  api: 'the service',
  blob: 'the blob store',
}

export function troubleSubject(about: string): string {
  const project = projectIn(about)
  if (project === undefined) return subjects[about] ?? about.replace(refused_fact, '')
  const [what] = about.split(':')
  return what === 'project' ? `project ${project}` : `${what} of project ${project}`
}
