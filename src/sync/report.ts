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
