/**
 * What sync tells people as it happens. Names are folder and path. The daemon turns it into log lines; nothing is decided by
 * it, the ledger has the truth.
 */
export interface SyncReport {
  /** The service has it, and it is of use there. */
  ready(name: string): void
  sent(name: string, bytes: number): void
  /** The service had these bytes already: nothing was sent. */
  linked(name: string): void
  /** No file needs it, and its folder's policy lets it go: it is not there any more. */
  removed(name: string): void
  skipped(reason: string, name: string): void
  blocked(reason: string, name: string): void
  /** A person must act. */
  refused(reason: string, name: string): void
  /** Set back, to be tried again by itself. */
  later(reason: string, name: string): void
  folder(name: string, what: string, level: 'info' | 'warn'): void
  trouble(about: string, what: string, level: 'info' | 'error'): void
  /** What a full round of the audit of a project came to. */
  audit(project_id: string, what: string, level: 'info' | 'warn'): void
  fault(where: string, error: unknown): void
}

/**
 * What is wrong beyond any one file, and what may be tried meanwhile. A fault of the account or a
 * project stops at the first sign; a service or blob store that does not answer after a few
 * failures in a row; uploads when several contents meet the same fault at one step. Then nothing is
 * sent but one probe at a time, later and later, and no file pays an attempt for it.
 */
export type About = 'account' | 'api' | 'blob' | 'uploads' | `project:${string}`

/** Only uploads need it, and they alone use the blob store. */
export function isOfUploads(about: About): boolean {
  return about === 'blob' || about === 'uploads'
}

const hints: Readonly<Record<string, string>> = {
  account: 'Nothing is sent until the token works: renew it where it came from; it is read again by itself',
  api: 'It is tried again by itself; if it lasts, check service.base_url, the network and the proxy',
  blob: 'It is tried again by itself; if it lasts, check that the blob host can be reached from here',
  uploads:
    'Several files met this, so none is refused for it; one at a time is tried again by itself. If it lasts, tell the operator of the service',
}

/** What a person can do about a trouble that rests the calls. */
export function hintFor(about: About): string {
  return (
    hints[about] ?? 'Nothing is sent to this project: check project_id in the config, and that the token may use it'
  )
}
