import { maxOpenFiles } from './process.ts'

/**
 * The only error class. `code` (`config.invalid`) is stable, because programs branch on it, and its
 * first word decides the exit code. `message` says what happened to which thing, `hint` what to do,
 * `detail` has the code of Node or OpenSSL behind it, if one explains more.
 */
export class SluiceError extends Error {
  readonly code: string
  readonly hint: string | undefined
  readonly detail: string | undefined

  constructor(fault: {
    code: string
    message: string
    hint?: string | undefined
    detail?: string | undefined
    cause?: unknown
  }) {
    super(fault.message, fault.cause === undefined ? undefined : { cause: fault.cause })
    this.name = 'SluiceError'
    this.code = fault.code
    this.hint = fault.hint
    this.detail = fault.detail
  }
}

export function isSluiceError(error: unknown, code?: string): error is SluiceError {
  return error instanceof SluiceError && (code === undefined || error.code === code)
}

/** The `code` of a Node or SQLite error (`ENOENT`, `SQLITE_BUSY`), or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const raise_open_files = 'raise ulimit -n, or LimitNOFILE= of the unit'

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  // A thread that cannot start has it in the text alone.
  const is_about_files = /\bEMFILE\b/.test(message) && !message.includes(raise_open_files)
  if (error instanceof SluiceError || !is_about_files) return message
  return `${message}: this process may have only ${maxOpenFiles() ?? 'so many'} open files (${raise_open_files})`
}

export interface PlainError {
  code: string
  message: string
  hint?: string | undefined
}

/** Errors cross threads and sockets as plain objects. A foreign error keeps its code. */
export function toPlainError(error: unknown): PlainError {
  if (error instanceof SluiceError) {
    return { code: error.code, message: error.message, hint: error.hint }
  }
  return { code: codeOf(error) ?? 'internal.unexpected', message: messageOf(error) }
}

/** A fault as a short text for users and a code for programs. It never holds a secret. */
export interface FaultNote {
  code: string
  message: string
}
