import { type About, featureIn, projectIn } from '../domain/trouble.ts'
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
  trouble(about: string, what: string, level: 'info' | 'error', code?: string): void
  /** Result of a full audit round of a project. */
  audit(project_id: string, what: string, level: 'info' | 'warn'): void
  fault(where: string, error: unknown): void
}

/** Only uploads need these. */
export function isOfUploads(about: About): boolean {
  return about === 'blob' || about.startsWith('uploads')
}

const hints: Readonly<Record<string, string>> = {
  account:
    'Sluice uploads nothing until the token works: renew it where it came from; Sluice reads the new one by itself while it runs',
  api: 'While it runs, Sluice tries again by itself; if this lasts, check service.base_url, the network and the proxy',
  blob: 'While it runs, Sluice tries again by itself; if this lasts, check that this machine can reach the blob host',
  uploads:
    'Several files failed in this way, so Sluice refuses none of them and tries one at a time. If this lasts, inform the operator of the service',
  labels:
    'Only labels wait: Sluice attaches them a day later, or after `sluice retry`. Check that the token has the right to label assets in this project',
  audit:
    'Only the audit waits: Sluice asks a day later, or after `sluice retry`. Check that the token has the right to list the assets of this project',
}

/** Advice for the operator about a trouble that stops calls. */
export function hintFor(about: About, code: string): string {
  const own = hints[about] ?? hints[featureIn(about) ?? '']
  if (own !== undefined) return own
  if (featureIn(about) !== undefined)
    return 'Only this waits, and Sluice tries again by itself while it runs'
  if (about.startsWith('uploads:')) return uploads_hint
  return `Sluice uploads nothing to this project: ${projectHint({ about, code })}`
}

export const uploads_hint =
  'Sluice refuses no file for it, and tries again by itself while it runs: ask the operator of the service'

export function projectHint({ about, code }: { about: About; code: string }): string {
  if (code === role_insufficient) return roleHint(projectIn(about) ?? '')
  const use = 'project_id in the configuration, and that the token may use it'
  // Without such a code, a wrong address may have answered.
  return code.startsWith('publicapi.tenancy.')
    ? `check ${use}`
    : `check service.base_url and ${use}`
}
