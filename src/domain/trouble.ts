import { refused_fact } from './fact.ts'

/** What some calls outside of uploads decide about, and nothing else. */
export type Feature = 'labels' | 'questions'

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
  return /^(?:project|uploads|labels|questions):(.*)$/.exec(about)?.[1]
}

/** The feature of a trouble; undefined if it is about more. */
export function featureIn(about: string): Feature | undefined {
  return /^(labels|questions):/.exec(about)?.[1] as Feature | undefined
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
