import { role_insufficient, roleHint } from '../remote/outcome.ts'

/** Events of sync for users; names are folder and path. Nothing depends on these reports. */
export interface SyncReport {
  /** The service has the content and can use it. */
  ready(name: string): void
  sent(name: string, bytes: number): void
  /** The project had these bytes already, so nothing was sent. */
  linked(name: string): void
  /** No file needs it, and its folder's policy allowed the removal from the service. */
  removed(name: string): void
  skipped(reason: string, name: string): void
  blocked(reason: string, name: string): void
  /** The operator must act. */
  refused(reason: string, name: string): void
  /** Deferred; Sluice retries it. */
  later(reason: string, name: string): void
  folder(name: string, what: string, level: 'info' | 'warn'): void
  trouble(about: string, what: string, level: 'info' | 'error'): void
  /** Result of a full audit round of a project. */
  audit(project_id: string, what: string, level: 'info' | 'warn'): void
  fault(where: string, error: unknown): void
}

/**
 * A fault beyond one file. A fault of the account or a project stops calls at once; a service or
 * blob store without answers, after a few failures in a row; uploads, when several contents have
 * the same fault at one step. Then only one probe at a time runs, at growing intervals, and no file
 * loses an attempt.
 */
export type About = 'account' | 'api' | 'blob' | 'uploads' | `project:${string}`

/** Only uploads need these, because only they use the blob store. */
export function isOfUploads(about: About): boolean {
  return about === 'blob' || about === 'uploads'
}

const hints: Readonly<Record<string, string>> = {
  account:
    'Sluice uploads nothing until the token works: renew it where it came from; Sluice reads the new one by itself',
  api: 'Sluice tries again by itself; if this lasts, check service.base_url, the network and the proxy',
  blob: 'Sluice tries again by itself; if this lasts, check that this machine can reach the blob host',
  uploads:
    'Several files failed in this way, so Sluice refuses none of them and tries one at a time. If this lasts, inform the operator of the service',
}

/** Advice for the operator about a trouble that stops calls. */
export function hintFor(about: About, code: string): string {
  return hints[about] ?? `Sluice uploads nothing to this project: ${projectHint({ about, code })}`
}

export function projectHint({ about, code }: { about: About; code: string }): string {
  if (code === role_insufficient) return roleHint(about.slice('project:'.length))
  return 'check project_id in the configuration, and that the token may use it'
}
