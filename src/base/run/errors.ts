import { getSystemErrorMap } from 'node:util'
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

const system_words = new Map(getSystemErrorMap().values())

/** What the system says of its code: `no such file or directory` of `ENOENT`. */
export function systemWords(code: string): string {
  return (system_words.get(code) ?? code) + adviceOn(code)
}

function adviceOn(code: string): string {
  if (code !== 'EMFILE') return ''
  return `: this process may have only ${maxOpenFiles() ?? 'so many'} open files (raise ulimit -n, or LimitNOFILE= of the unit)`
}

/** What the system says, without the path and the call that its message has. */
export function causeOf(error: unknown): string {
  const code = codeOf(error)
  return code !== undefined && system_words.has(code) ? systemWords(code) : messageOf(error)
}

/** For people: without the code, which logs and programs have beside it. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof SluiceError) return text
  // A thread that cannot start has the code in the text alone.
  const code = [codeOf(error), coded_text.exec(text)?.[1]].find((one) =>
    system_words.has(one ?? ''),
  )
  return code === undefined ? text.replace(openssl_code, '') : inWords(text, code)
}

const coded_text = /(?:^|: )(E[A-Z0-9]+)(?=: |$)/
/** Of `error:0480006C:PEM routines::no start line`. */
const openssl_code = /^error:[0-9A-F]+:[^:]*:[^:]*:/

/** Node writes `ENOENT: no such file or directory, open 'a'` and `connect ECONNREFUSED [::1]:9`. */
function inWords(text: string, code: string): string {
  // All tries of several addresses together have no text.
  if (text === '') return systemWords(code)
  const at = text.indexOf(code)
  if (at < 0) return text
  const call = text.slice(0, at).replace(/:? $/, ': ')
  const after = text.slice(at + code.length)
  const said = after.startsWith(': ') ? after.slice(2) : `${system_words.get(code)}${after}`
  return call + said + adviceOn(code)
}

export interface PlainError {
  code: string
  message: string
  hint?: string | undefined
  detail?: string | undefined
}

/** Errors cross threads and sockets as plain objects. A foreign error keeps its code. */
export function toPlainError(error: unknown): PlainError {
  if (error instanceof SluiceError) {
    const { code, message, hint, detail } = error
    return { code, message, hint, detail }
  }
  return { code: codeOf(error) ?? 'internal.unexpected', message: messageOf(error) }
}

/** A fault as a short text for users and a code for programs. It never holds a secret. */
export interface FaultNote {
  code: string
  message: string
}
